import { claim, enqueue, enqueueAndClaim, spanOf } from "../arrange.ts";
import { type CaseContext, casesOf, type ConformanceCase } from "../case.ts";
import { equal, holds, matches } from "../check.ts";

async function registered(context: CaseContext): Promise<void> {
  const { store } = context;
  equal(await store.getWorkerById("w"), undefined);
  const first = await store.updateWorker("w", { heartbeatStats: { cpu: 0.5, gpus: [1, 2] } });
  matches(first, { workerId: "w", status: "unknown", heartbeatStats: { cpu: 0.5, gpus: [1, 2] } });
  equal(await store.getWorkerById("w"), first);
  await context.advance(context.unitMs);
  const second = await store.updateWorker("w");
  matches(second, { heartbeatStats: { cpu: 0.5, gpus: [1, 2] } }, "without new statistics the former ones stay");
  const [before = Number.NaN, after = Number.NaN] = [first.lastHeartbeatTimeMs, second.lastHeartbeatTimeMs];
  holds(after > before, "the heartbeat moves");
  const third = await store.updateWorker("w", { heartbeatStats: { memory: 1 } });
  equal(third.heartbeatStats, { memory: 1 }, "new statistics replace the former ones");
  equal((await store.queryWorkers()).total, 1);
}

async function idleWithoutWork({ store }: CaseContext): Promise<void> {
  equal(await store.dequeueRollout({ workerId: "w" }), undefined);
  const worker = await store.getWorkerById("w");
  matches(worker, { status: "idle", currentRolloutId: undefined });
  holds(worker?.lastDequeueTimeMs !== undefined, "the time of its claim is kept");
}

async function busyThenIdle({ store }: CaseContext): Promise<void> {
  await store.updateWorker("w", { heartbeatStats: { cpu: 1 } });
  const before = await store.getWorkerById("w");
  const { rolloutId, attempt } = await enqueueAndClaim(store, {}, { workerId: "w" });
  const busy = await store.getWorkerById("w");
  matches(busy, { status: "busy", currentRolloutId: rolloutId, currentAttemptId: attempt.attemptId });
  holds(busy?.lastDequeueTimeMs !== undefined && busy.lastBusyTimeMs !== undefined, "both times are kept");
  await store.dequeueRollout({ workerId: "w" });
  matches(
    await store.getWorkerById("w"),
    { status: "busy", currentRolloutId: rolloutId },
    "a vain claim leaves it busy",
  );
  await store.addSpan(spanOf(attempt));
  await store.reportAttempt(rolloutId, attempt.attemptId, { status: "succeeded" });
  const idle = await store.getWorkerById("w");
  matches(idle, { status: "idle", currentRolloutId: undefined, currentAttemptId: undefined });
  holds(idle?.lastIdleTimeMs !== undefined, "the time of its end is kept");
  equal(
    [idle.lastHeartbeatTimeMs, idle.heartbeatStats],
    [before?.lastHeartbeatTimeMs, { cpu: 1 }],
    "heartbeat and statistics are the worker's own",
  );
}

async function namedEverywhere({ store }: CaseContext): Promise<void> {
  const started = await store.startRollout({ input: null, workerId: "a" });
  matches(started.attempt, { workerId: "a" });
  matches(await store.getWorkerById("a"), { status: "busy", currentRolloutId: started.rolloutId });
  const byHand = await store.startAttempt(started.rolloutId, { workerId: "b" });
  matches(byHand.attempt, { workerId: "b" });
  matches(await store.getWorkerById("b"), { status: "busy", currentAttemptId: byHand.attempt.attemptId });
  const { rolloutId } = await enqueueAndClaim(store);
  await store.updateAttempt(rolloutId, "latest", { status: "running", workerId: "c" });
  matches(await store.getWorkerById("c"), { status: "busy", currentRolloutId: rolloutId });
}

async function lastOfABatch({ store }: CaseContext): Promise<void> {
  await enqueue(store, 3);
  const claimed = await store.dequeueManyRollouts({ limit: 3, workerId: "w" });
  matches(await store.getWorkerById("w"), { currentAttemptId: claimed[2]?.attempt.attemptId });
  const [first, , last] = claimed;
  await store.reportAttempt(first?.rolloutId ?? "", first?.attempt.attemptId ?? "", { status: "succeeded" });
  matches(await store.getWorkerById("w"), { status: "busy", currentAttemptId: last?.attempt.attemptId });
  await store.reportAttempt(last?.rolloutId ?? "", last?.attempt.attemptId ?? "", { status: "failed" });
  matches(await store.getWorkerById("w"), { status: "idle", currentAttemptId: undefined });
}

async function newWorkIsNotTakenAway(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const old = await enqueueAndClaim(store, { config: { maxLostAttempts: 0 } }, { workerId: "w", leaseMs: unitMs });
  await store.enqueueRollout({ input: "next" });
  const fresh = await claim(store, { workerId: "w", leaseMs: 20 * unitMs });
  await context.advance(unitMs + 1);
  matches(await store.getRolloutById(old.rolloutId), { status: "failed" });
  matches(await store.getWorkerById("w"), { status: "busy", currentAttemptId: fresh.attempt.attemptId });
}

async function queried({ store }: CaseContext): Promise<void> {
  for (const id of ["node-b", "node-a", "gpu-a"]) await store.updateWorker(id);
  await store.dequeueRollout({ workerId: "node-a" });
  const ids = async (query: Parameters<typeof store.queryWorkers>[0]) =>
    (await store.queryWorkers(query)).items.map(({ workerId }) => workerId);
  equal(await ids({}), ["node-b", "node-a", "gpu-a"]);
  equal(await ids({ statusIn: ["idle"] }), ["node-a"]);
  equal(await ids({ statusIn: [] }), []);
  equal(await ids({ workerIdContains: "node" }), ["node-b", "node-a"]);
  equal(await ids({ statusIn: ["unknown"], workerIdContains: "node" }), ["node-b"]);
  equal(await ids({ statusIn: ["idle"], workerIdContains: "gpu", filterLogic: "or" }), ["node-a", "gpu-a"]);
  equal(await ids({ sortBy: "workerId", limit: 2 }), ["gpu-a", "node-a"]);
  equal(await ids({ sortBy: "workerId", sortOrder: "desc", limit: 1, offset: 1 }), ["node-a"]);
  matches(await store.queryWorkers({ limit: 0 }), { items: [], total: 3 });
}

async function manyAtOnce({ store }: CaseContext): Promise<void> {
  await enqueue(store, 20);
  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const workerId = `w${index}`;
      await store.updateWorker(workerId, { heartbeatStats: { index } });
      const { rolloutId, attempt } = await claim(store, { workerId });
      await store.reportAttempt(rolloutId, attempt.attemptId, { status: "succeeded" });
    }),
  );
  const { items } = await store.queryWorkers();
  equal(items.length, 20);
  for (const worker of items) matches(worker, { status: "idle", currentAttemptId: undefined });
  matches(await store.statistics(), { totalWorkers: 20 });
}

export const workersCases: readonly ConformanceCase[] = casesOf("workers", [
  ["a worker registers as unknown; its heartbeat moves, its statistics are replaced only by new ones", registered],
  ["a claim in vain makes a worker idle", idleWithoutWork],
  ["a worker is busy from its claim to its report, which leave its heartbeat and statistics alone", busyThenIdle],
  ["a worker named at a start or in an update of an attempt is busy with that", namedEverywhere],
  ["a batch makes its worker busy with the last, until that has ended", lastOfABatch],
  ["the end of an old attempt takes no new work away from its worker", newWorkIsNotTakenAway],
  ["workers are found by status and part of their id, sorted and paged", queried],
  ["twenty workers at once end idle, each with its own record", manyAtOnce],
]);
