import type { RolloutRequest } from "@agentlightning/core";
import { claim, drain, enqueue, enqueueAndClaim } from "../arrange.ts";
import { type CaseContext, casesOf, type ConformanceCase } from "../case.ts";
import { equal, holds, matches, refuses } from "../check.ts";

async function inOrder({ store }: CaseContext): Promise<void> {
  await enqueue(store, 5);
  equal(await drain(store), [0, 1, 2, 3, 4]);
  equal(await store.dequeueRollout(), undefined, "an empty queue gives nothing, again and again");
  equal(await store.dequeueRollout(), undefined);
}

async function whatWasAskedFor({ store }: CaseContext): Promise<void> {
  const config = {
    timeoutMs: 60_000,
    unresponsiveMs: 30_000,
    maxAttempts: 4,
    retryCondition: ["timeout" as const, "failed" as const],
    maxLostAttempts: 2,
  };
  const request = { input: { task: "t" }, mode: "val" as const, resourcesId: "rs-123", metadata: { by: "me" }, config };
  const rollout = await store.enqueueRollout(request);
  holds(rollout.rolloutId.startsWith("ro-"), `the id starts with ro-: ${rollout.rolloutId}`);
  matches(rollout, { ...request, status: "queuing", lostAttempts: 0, endTimeMs: undefined, attempt: undefined });
  holds(rollout.startTimeMs > 0, "the start time is set");
  equal(await store.getRolloutById(rollout.rolloutId), rollout);
}

async function manyAsAsked({ store }: CaseContext): Promise<void> {
  const requests: readonly RolloutRequest[] = [
    { input: "a", mode: "train", metadata: { n: 1 } },
    { input: "b", mode: "val", config: { maxAttempts: 3 } },
    { input: "c", mode: "test", resourcesId: "rs-own" },
  ];
  const made = await store.enqueueManyRollouts(requests);
  matches(made, requests);
  const claimed = await store.dequeueManyRollouts({ limit: 3 });
  equal(
    claimed.map(({ rolloutId }) => rolloutId),
    made.map(({ rolloutId }) => rolloutId),
  );
  matches(claimed, requests);
  equal(await store.enqueueManyRollouts([]), []);
}

async function inBatches({ store }: CaseContext): Promise<void> {
  await enqueue(store, 4);
  const first = await store.dequeueManyRollouts({ limit: 2, workerId: "w" });
  matches(
    first,
    [0, 1].map((input) => ({
      input,
      status: "preparing",
      attempt: { workerId: "w", status: "preparing", sequenceId: 1 },
    })),
  );
  equal(
    (await store.dequeueManyRollouts({ limit: 5 })).map(({ input }) => input),
    [2, 3],
  );
  equal(await store.dequeueManyRollouts({ limit: 5 }), []);
}

async function ofOneInstant(context: CaseContext): Promise<void> {
  const { store } = context;
  const inputs = Array.from({ length: 3_000 }, (_, index) => index);
  await store.enqueueManyRollouts(inputs.map((input) => ({ input })));
  await context.advance(1);
  await store.enqueueRollout({ input: "later" });
  const claimed = await store.dequeueManyRollouts({ limit: 3_001 });
  equal(
    claimed.map(({ input }) => input),
    [...inputs, "later"],
  );
}

async function retriesAtTheTail({ store }: CaseContext): Promise<void> {
  const config = { maxAttempts: 2, retryCondition: ["failed" as const] };
  const queued = await enqueue(store, 9, { config });
  const idOf = (input: number): string => queued[input]?.rolloutId ?? "";
  await store.updateRollout(idOf(5), { status: "cancelled" });
  await store.updateRollout(idOf(2), { status: "queuing" });
  await store.updateRollout(idOf(2), { status: "queuing" });
  const order: unknown[] = [];
  for (let next = await store.dequeueRollout(); next !== undefined; next = await store.dequeueRollout()) {
    order.push(next.input);
    const isFailed = (next.input === 3 || next.input === 7) && next.attempt.sequenceId === 1;
    await store.reportAttempt(next.rolloutId, next.attempt.attemptId, { status: isFailed ? "failed" : "succeeded" });
  }
  equal(order, [0, 1, 2, 3, 4, 6, 7, 8, 3, 7]);
}

async function handedBackAtTheHead({ store, unitMs }: CaseContext): Promise<void> {
  await enqueue(store, 3);
  const [a, b] = [await claim(store, { leaseMs: 60 * unitMs }), await claim(store, { leaseMs: 60 * unitMs })];
  for (const { rolloutId, attempt } of [a, b]) {
    matches(await store.releaseAttempt(rolloutId, attempt.attemptId, { reason: "shutdown" }), {
      status: "applied",
      attempt: { status: "unresponsive", endReason: "released" },
    });
  }
  const order = (await store.dequeueManyRollouts({ limit: 5 })).map(({ input, lostAttempts, attempt }) => [
    input,
    lostAttempts,
    attempt.sequenceId,
  ]);
  equal(order, [
    [0, 1, 2],
    [1, 1, 2],
    [2, 0, 1],
  ]);
}

async function skipsWhatIsOver({ store }: CaseContext): Promise<void> {
  const [a, b, c, d] = await enqueue(store, 4);
  await store.updateRollout(a?.rolloutId ?? "", { status: "succeeded" });
  await store.updateRollout(b?.rolloutId ?? "", { status: "failed" });
  await store.updateRollout(c?.rolloutId ?? "", { status: "cancelled" });
  matches(await store.dequeueRollout(), { rolloutId: d?.rolloutId });
  equal(await store.dequeueRollout(), undefined);
  matches(await store.queryRollouts(), { total: 4 });
  equal(
    (await store.queryRollouts()).items.map(({ status }) => status),
    ["succeeded", "failed", "cancelled", "preparing"],
  );
}

async function requeuedByHand({ store }: CaseContext): Promise<void> {
  const { rolloutId } = await enqueueAndClaim(store);
  await store.updateRollout(rolloutId, { status: "requeuing" });
  matches(await store.dequeueRollout(), {
    rolloutId,
    status: "preparing",
    attempt: { sequenceId: 2, status: "preparing" },
  });
  equal((await store.queryAttempts(rolloutId)).total, 2);
  equal(await store.dequeueRollout(), undefined);
}

async function manyProducers({ store }: CaseContext): Promise<void> {
  const made = await Promise.all(Array.from({ length: 50 }, (_, input) => store.enqueueRollout({ input })));
  equal(new Set(made.map(({ rolloutId }) => rolloutId)).size, 50);
  equal(new Set(await drain(store)).size, 50);
  matches(await store.statistics(), { totalRollouts: 50, totalAttempts: 50, queuedRollouts: 0 });
}

async function callersGetDifferentOnes({ store }: CaseContext): Promise<void> {
  await enqueue(store, 20);
  const claimed = await Promise.all(Array.from({ length: 30 }, () => store.dequeueRollout()));
  const ids = claimed.flatMap((rollout) => rollout?.rolloutId ?? []);
  equal([ids.length, new Set(ids).size], [20, 20]);
}

async function poisonBlocksNobody({ store }: CaseContext): Promise<void> {
  const config = { maxAttempts: 3, retryCondition: ["failed" as const] };
  await store.enqueueRollout({ input: "poison", config });
  await enqueue(store, 2);
  const order: unknown[] = [];
  for (let next = await store.dequeueRollout(); next !== undefined; next = await store.dequeueRollout()) {
    order.push(next.input);
    const status = next.input === "poison" ? "failed" : "succeeded";
    await store.reportAttempt(next.rolloutId, next.attempt.attemptId, { status });
  }
  equal(order, ["poison", 0, 1, "poison", "poison"]);
}

async function unclaimedInTime(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const { rolloutId } = await store.enqueueRollout({ input: 1, config: { claimWithinMs: 2 * unitMs } });
  await context.advance(unitMs);
  matches(await store.getRolloutById(rolloutId), { status: "queuing" });
  const finished = store.waitForRollouts([rolloutId]);
  await context.advance(unitMs + 2);
  matches(await finished, [{ status: "failed", endReason: "unclaimed" }]);
  equal(await store.dequeueRollout(), undefined);
  await store.updateRollout(rolloutId, { status: "queuing" });
  await context.advance(unitMs);
  matches(await store.dequeueRollout(), { rolloutId, status: "preparing", endReason: undefined });
  await context.advance(5 * unitMs);
  matches(await store.getRolloutById(rolloutId), { status: "preparing" });
}

async function closed({ store }: CaseContext): Promise<void> {
  const { rolloutId } = await enqueueAndClaim(store);
  const waits = [
    refuses(store.dequeueRollout({ waitMs: 60_000 }), "closed"),
    refuses(store.waitForRollouts([rolloutId]), "closed"),
    refuses(store.waitForRollouts([rolloutId], { timeoutMs: 60_000 }), "closed"),
  ];
  const ended = store.watchRollouts()[Symbol.asyncIterator]().next();
  await Promise.resolve();
  await store.close();
  await store.close();
  await Promise.all(waits);
  equal(await ended, { done: true, value: undefined });
  await refuses(store.enqueueRollout({ input: null }), "closed");
  await refuses(store.getRolloutById(rolloutId), "closed");
}

export const queueCases: readonly ConformanceCase[] = casesOf("queue", [
  ["rollouts are claimed in the order they were enqueued, and then there is none", inOrder],
  ["an enqueued rollout is what was asked for, field by field, and reads back the same", whatWasAskedFor],
  ["many rollouts are made and claimed in input order, each as it was asked for", manyAsAsked],
  ["claims in batches take the next ones in order, then the rest, then none", inBatches],
  ["more rollouts in one instant than a clock can tell apart keep their order", ofOneInstant],
  ["a retry goes to the tail, once, and nothing is skipped on the way", retriesAtTheTail],
  ["what runners hand back goes to the head, first handed back first", handedBackAtTheHead],
  ["a rollout that is finished or cancelled while it waits is not claimed", skipsWhatIsOver],
  ["a claimed rollout that is queued again by hand is claimed again, as its second attempt", requeuedByHand],
  ["fifty producers at once make fifty rollouts", manyProducers],
  ["thirty callers of twenty rollouts get twenty different ones", callersGetDifferentOnes],
  ["a rollout that always fails does not keep others from their turn", poisonBlocksNobody],
  ["work that nobody claims in time fails and says so; queued again, its time begins anew", unclaimedInTime],
  ["closing wakes who waits, twice is once, and what comes later is refused", closed],
]);
