import type { RolloutEvent } from "@agentlightning/core";
import { claim, enqueue, enqueueAndClaim } from "../arrange.ts";
import { type CaseContext, casesOf, type ConformanceCase } from "../case.ts";
import { equal, holds, matches, refuses } from "../check.ts";
import { lookedAfter } from "../quiet.ts";

async function beforeDuringAfter({ store }: CaseContext): Promise<void> {
  const [a = "", b = "", c = "", d = ""] = (await enqueue(store, 4)).map(({ rolloutId }) => rolloutId);
  await store.updateRollout(a, { status: "succeeded" });
  const waiting = store.waitForRollouts([c, a, b, a, "ro-unknown"]);
  await store.updateRollout(d, { status: "failed" });
  await Promise.all([store.updateRollout(b, { status: "failed" }), store.updateRollout(c, { status: "cancelled" })]);
  equal(
    (await waiting).map(({ input, status }) => [input, status]),
    [
      [2, "cancelled"],
      [0, "succeeded"],
      [1, "failed"],
    ],
  );
}

async function atOnce({ store }: CaseContext): Promise<void> {
  const { rolloutId } = await store.enqueueRollout({ input: null });
  equal(await store.waitForRollouts([]), []);
  equal(await store.waitForRollouts(["ro-unknown"]), []);
  equal(await store.waitForRollouts([rolloutId], { timeoutMs: 0 }), []);
  await refuses(store.waitForRollouts([rolloutId], { timeoutMs: -1 }), "invalid_input");
}

async function outOfTime(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const [a = "", b = ""] = (await enqueue(store, 2)).map(({ rolloutId }) => rolloutId);
  const waiting = store.waitForRollouts([a, b, "ro-unknown"], { timeoutMs: unitMs });
  await store.updateRollout(b, { status: "succeeded" });
  await context.advance(unitMs + 1);
  equal(
    (await waiting).map(({ rolloutId }) => rolloutId),
    [b],
  );
}

async function aborted({ store }: CaseContext): Promise<void> {
  const { rolloutId } = await store.enqueueRollout({ input: null });
  const controller = new AbortController();
  const waiting = refuses(store.waitForRollouts([rolloutId], { signal: controller.signal }), "aborted");
  const reason = new Error("enough");
  controller.abort(reason);
  equal((await waiting).cause, reason);
  await refuses(store.waitForRollouts([rolloutId], { signal: controller.signal }), "aborted");
}

async function reopened({ store }: CaseContext): Promise<void> {
  const { rolloutId } = await store.enqueueRollout({ input: null });
  await store.updateRollout(rolloutId, { status: "failed" });
  await store.updateRollout(rolloutId, { status: "queuing" });
  const waiting = store.waitForRollouts([rolloutId]);
  const { attempt } = await claim(store);
  await store.reportAttempt(rolloutId, attempt.attemptId, { status: "succeeded" });
  matches(await waiting, [{ status: "succeeded" }]);
}

async function retriesAreNoEnd({ store }: CaseContext): Promise<void> {
  const config = { maxAttempts: 2, retryCondition: ["failed" as const] };
  const { rolloutId, attempt } = await enqueueAndClaim(store, { config });
  const waiting = store.waitForRollouts([rolloutId]);
  await store.reportAttempt(rolloutId, attempt.attemptId, { status: "failed" });
  equal(await store.waitForRollouts([rolloutId], { timeoutMs: 0 }), []);
  const second = await claim(store);
  await store.reportAttempt(rolloutId, second.attempt.attemptId, { status: "succeeded" });
  matches(await waiting, [{ status: "succeeded", attempt: { sequenceId: 2 } }]);
}

async function manyWaiters({ store }: CaseContext): Promise<void> {
  const { rolloutId } = await store.enqueueRollout({ input: null });
  const waits = Array.from({ length: 200 }, () => store.waitForRollouts([rolloutId]));
  await store.updateRollout(rolloutId, { status: "succeeded" });
  for (const found of await Promise.all(waits)) matches(found, [{ rolloutId, status: "succeeded" }]);
}

async function claimsInTheirTurn({ store }: CaseContext): Promise<void> {
  const waits = ["first", "second", "third"].map((name) =>
    lookedAfter(store.dequeueRollout({ waitMs: 60_000 }).then((rollout) => [name, rollout?.input])),
  );
  await store.enqueueManyRollouts([{ input: 1 }, { input: 2 }, { input: 3 }]);
  equal(await Promise.all(waits), [
    ["first", 1],
    ["second", 2],
    ["third", 3],
  ]);
}

async function claimInVain(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const waiting = store.dequeueRollout({ waitMs: unitMs });
  await context.advance(unitMs + 1);
  equal(await waiting, undefined);
}

async function claimWokenByRetry(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const { rolloutId } = await enqueueAndClaim(store, {}, { leaseMs: unitMs });
  const waiting = store.dequeueRollout({ waitMs: 20 * unitMs });
  await context.advance(unitMs + 2);
  matches(await waiting, { rolloutId, attempt: { sequenceId: 2 } });
}

async function abortedClaim({ store }: CaseContext): Promise<void> {
  const controller = new AbortController();
  const aborted = store.dequeueRollout({ waitMs: 60_000, signal: controller.signal });
  const next = store.dequeueRollout({ waitMs: 60_000 });
  await Promise.resolve();
  const enqueued = store.enqueueRollout({ input: "once" });
  controller.abort();
  await enqueued;
  const won = await aborted.catch(() => undefined);
  if (won === undefined) matches(await next, { input: "once" });
  else {
    matches(won, { input: "once" });
    await store.enqueueRollout({ input: "twice" });
    matches(await next, { input: "twice" });
  }
  const [first] = (await store.queryRollouts()).items;
  equal((await store.queryAttempts(first?.rolloutId ?? "")).total, 1);
}

async function watched({ store }: CaseContext): Promise<void> {
  const { rolloutId } = await store.enqueueRollout({ input: null });
  const controller = new AbortController();
  const events: RolloutEvent[] = [];
  const watcher = store.watchRollouts({ signal: controller.signal });
  const { attempt } = await claim(store);
  await store.reportAttempt(rolloutId, attempt.attemptId, { status: "succeeded" });
  for await (const event of watcher) {
    events.push(event);
    if (event.status === "succeeded") controller.abort();
  }
  matches(
    events,
    ["preparing", "succeeded"].map((status) => ({ rolloutId, status, attemptId: attempt.attemptId })),
  );
  const again = store.watchRollouts({ since: events[0]?.cursor })[Symbol.asyncIterator]();
  equal(await again.next(), { done: false, value: events[1] }, "a watcher may go on after a cursor");
  await again.return?.();
}

async function watchedMany({ store }: CaseContext): Promise<void> {
  const controller = new AbortController();
  const watcher = store.watchRollouts({ signal: controller.signal })[Symbol.asyncIterator]();
  const pulls = lookedAfter(Promise.all([watcher.next(), watcher.next(), watcher.next()]));
  const made = await enqueue(store, 3);
  const events = (await pulls).map(({ value }) => value as RolloutEvent);
  equal(
    events.map(({ rolloutId }) => rolloutId),
    made.map(({ rolloutId }) => rolloutId),
  );
  equal(new Set(events.map(({ cursor }) => cursor)).size, 3);
  controller.abort();
  equal(await watcher.next(), { done: true, value: undefined });
}

async function noListenersLeft({ store }: CaseContext): Promise<void> {
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    listeners += 1;
    add(...given);
  };
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    listeners -= 1;
    remove(...given);
  };
  for (let round = 0; round < 100; round += 1) {
    const waiting = store.dequeueRollout({ waitMs: 60_000, signal });
    const { rolloutId } = await store.enqueueRollout({ input: round });
    await waiting;
    const finished = store.waitForRollouts([rolloutId], { signal });
    await store.updateRollout(rolloutId, { status: "succeeded" });
    await finished;
  }
  holds(listeners === 0, `${listeners} listeners are left on the signal of a hundred waits`);
}

export const waitingCases: readonly ConformanceCase[] = casesOf("waiting", [
  ["a wait sees what finishes before, during and right after the call, each once, in input order", beforeDuringAfter],
  ["an empty list, unknown ids and a timeout of zero answer at once", atOnce],
  ["a wait that runs out of time gives those that finished", outOfTime],
  ["an aborted wait is rejected as aborted, with the signal's reason", aborted],
  ["a wait on a rollout that was reopened goes on until it finishes again", reopened],
  ["a failed attempt that is retried ends no wait", retriesAreNoEnd],
  ["two hundred waiters on one rollout are all told", manyWaiters],
  ["waiting claims are served in the order they came, one rollout each", claimsInTheirTurn],
  ["a claim that waits in vain ends with nothing when its time is over", claimInVain],
  ["a waiting claim gets the retry of a lease that runs out meanwhile", claimWokenByRetry],
  ["an aborted claim gives its turn to the next and loses no rollout", abortedClaim],
  ["a watcher sees every change of status from its call on, in order, and may go on after a cursor", watched],
  ["calls for the next event at once each get their own, and an abort ends the watching", watchedMany],
  ["waits leave no listener on their signal", noListenersLeft],
]);
