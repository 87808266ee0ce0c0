import { claim, enqueue, enqueueAndClaim, spanOf } from "../arrange.ts";
import { type CaseContext, casesOf, type ConformanceCase } from "../case.ts";
import { equal, holds, matches } from "../check.ts";
import { lookedAfter } from "../quiet.ts";

async function claimsAreShared(context: CaseContext): Promise<void> {
  const { store } = context;
  const other = await context.open();
  await enqueue(store, 20);
  const claimed = await Promise.all(
    Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? store : other).dequeueRollout()),
  );
  const inputs = claimed.flatMap((rollout) => (rollout === undefined ? [] : [Number(rollout.input)]));
  equal(
    inputs.toSorted((a, b) => a - b),
    Array.from({ length: 20 }, (_, input) => input),
  );
}

async function waitsAreWoken(context: CaseContext): Promise<void> {
  const { store } = context;
  const other = await context.open();
  const waiting = other.dequeueRollout({ waitMs: Number.POSITIVE_INFINITY });
  const { rolloutId } = await store.enqueueRollout({ input: null });
  const claimed = await woken(context, waiting);
  equal(claimed?.rolloutId, rolloutId);
  const finished = store.waitForRollouts([rolloutId]);
  await other.reportAttempt(rolloutId, claimed?.attempt.attemptId ?? "", { status: "succeeded" });
  matches(await woken(context, finished), [{ rolloutId, status: "succeeded" }]);
}

/** What a wait gives; time passes meanwhile, since a handle may have to look for what another one did. */
async function woken<T>(context: CaseContext, waiting: Promise<T>): Promise<T> {
  const state = { isOver: false };
  const ended = lookedAfter(
    waiting.finally(() => {
      state.isOver = true;
    }),
  );
  for (let round = 0; round < 40 && !state.isOver; round += 1) await context.advance(context.unitMs / 10);
  return ended;
}

async function changesAreSeen(context: CaseContext): Promise<void> {
  const { store } = context;
  const other = await context.open();
  const abort = new AbortController();
  const events = other.watchRollouts({ signal: abort.signal })[Symbol.asyncIterator]();
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  await store.addSpan(spanOf(attempt));
  await store.reportAttempt(rolloutId, attempt.attemptId, { status: "succeeded" });
  const statuses: unknown[] = [];
  for (let count = 0; count < 4; count += 1) statuses.push((await woken(context, events.next())).value?.status);
  abort.abort();
  equal(statuses, ["queuing", "preparing", "running", "succeeded"]);
}

async function numbersAreShared(context: CaseContext): Promise<void> {
  const { store } = context;
  const other = await context.open();
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  const numbers = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const handle = index % 2 === 0 ? store : other;
      if (index % 3 === 0) return handle.getNextSpanSequenceId(rolloutId, attempt.attemptId);
      return (await handle.addSpan(spanOf(attempt)))?.sequenceId;
    }),
  );
  equal(
    numbers.toSorted((a, b) => Number(a) - Number(b)),
    Array.from({ length: 30 }, (_, index) => index + 1),
  );
}

async function oneExpiry(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const others = [await context.open(), await context.open()];
  const rollouts = await enqueue(store, 20);
  for (const handle of others) await handle.dequeueManyRollouts({ limit: 10, leaseMs: 2 * unitMs });
  await context.advance(2 * unitMs + 1);
  await Promise.all([store, ...others].map((handle) => handle.queryRollouts()));
  const after = await store.queryRollouts();
  matches(
    after.items,
    rollouts.map(({ rolloutId }) => ({ rolloutId, status: "requeuing", lostAttempts: 1 })),
  );
  matches(await store.statistics(), { totalAttempts: 20, queuedRollouts: 20 });
}

async function claimRepeatedElsewhere(context: CaseContext): Promise<void> {
  const { store } = context;
  const other = await context.open();
  await enqueue(store, 4);
  const twins = await Promise.all([
    store.dequeueManyRollouts({ limit: 2, requestId: "r" }),
    other.dequeueManyRollouts({ limit: 2, requestId: "r" }),
  ]);
  const ids = twins.map((won) => won.map(({ attempt }) => attempt.attemptId));
  equal(ids[0], ids[1]);
  equal((await store.statistics()).queuedRollouts, 2);
}

async function keysAreShared(context: CaseContext): Promise<void> {
  const { store } = context;
  const other = await context.open();
  const made = await Promise.all(
    [store, other, store, other].map((handle, input) => handle.enqueueRollout({ input, idempotencyKey: "k" })),
  );
  equal(new Set(made.map(({ rolloutId }) => rolloutId)).size, 1);
  equal((await other.queryRollouts()).total, 1);
}

async function versionsAreShared(context: CaseContext): Promise<void> {
  const { store } = context;
  const other = await context.open();
  const updates = await Promise.all(
    Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? store : other).updateResources("r", {})),
  );
  equal(
    updates.map(({ version }) => version).toSorted((a, b) => a - b),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  );
  equal((await other.getLatestResources())?.version, 10);
  const guarded = await Promise.allSettled([
    store.updateResources("r", {}, { expectedVersion: 10 }),
    other.updateResources("r", {}, { expectedVersion: 10 }),
  ]);
  equal(guarded.filter(({ status }) => status === "fulfilled").length, 1, "one of two that expect the same wins");
}

async function lateReport(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const other = await context.open();
  const { rolloutId } = await store.enqueueRollout({ input: null });
  const slow = await claim(store, { leaseMs: unitMs });
  await context.advance(unitMs + 1);
  const fast = await claim(other);
  holds(fast.rolloutId === rolloutId, "the retry is the same rollout");
  matches(await store.reportAttempt(rolloutId, slow.attempt.attemptId, { status: "succeeded" }), { status: "lost" });
  await other.reportAttempt(rolloutId, fast.attempt.attemptId, { status: "failed" });
  matches(await store.getRolloutById(rolloutId), { status: "failed", attempt: { attemptId: fast.attempt.attemptId } });
}

export const twoHandlesCases: readonly ConformanceCase[] = casesOf("two handles", [
  ["claims on two handles at once never get the same rollout", claimsAreShared, ["many handles"]],
  ["a handle that waits is woken by what another one does", waitsAreWoken, ["many handles"]],
  ["a watcher sees what another handle changes, in order", changesAreSeen, ["many handles"]],
  ["numbers taken on two handles at once are given once each", numbersAreShared, ["many handles"]],
  ["many handles that sweep at once end each attempt once", oneExpiry, ["many handles"]],
  ["a claim repeated on another handle at once wins once", claimRepeatedElsewhere, ["many handles"]],
  ["one key on two handles at once makes one rollout", keysAreShared, ["many handles"]],
  ["versions published on two handles at once are each their own", versionsAreShared, ["many handles"]],
  ["a runner that lost its lease to another handle reports in vain", lateReport, ["many handles"]],
]);
