import { LightningError } from "@agentlightning/core";
import type { StoreDriver } from "@agentlightning/store-kit";
import { claim, drain, enqueue, enqueueAndClaim, spanOf } from "../arrange.ts";
import { type CaseContext, casesOf, type Requirement, type ConformanceCase } from "../case.ts";
import { equal, matches, refuses } from "../check.ts";
import { createGate, type Gate } from "../gate.ts";
import { override } from "../override.ts";

const needsDriver: readonly Requirement[] = ["driver", "many handles", "injected clock"];

/** A driver whose store never sweeps by itself. */
function withoutSweeps(driver: StoreDriver): StoreDriver {
  return override(driver, { dueRollouts: () => [], earliestDeadlineMs: () => undefined });
}

/** An attempt whose lease has run out, and nobody has looked yet. */
async function overdue(context: CaseContext, gate: Gate) {
  const { store, unitMs } = context;
  const renewing = await context.openOver(withoutSweeps);
  const { rolloutId, attempt } = await enqueueAndClaim(renewing, {}, { leaseMs: 2 * unitMs });
  await store.close();
  await context.advance(2 * unitMs + 1);
  const sweeping = await context.openOver(gate.over);
  const renew = () => renewing.renewLease(rolloutId, attempt.attemptId, { leaseMs: 10 * unitMs });
  return { rolloutId, renew, sweeping };
}

/**
 * A renewal while another handle sweeps. Before the verdict is written, the attempt was never ended; after it, the
 * renewal takes the end back, and the retry with it.
 */
function renewedWhileSwept(
  when: "before" | "after",
  status: "preparing" | "running",
): (context: CaseContext) => Promise<void> {
  return async (context) => {
    const gate = createGate("changeRollout", when);
    const { rolloutId, renew, sweeping } = await overdue(context, gate);
    gate.hold();
    const looking = sweeping.getRolloutById(rolloutId);
    await gate.reached();
    matches(await renew(), { status: "held" });
    gate.open();
    await looking;
    const attempt = { status, endReason: undefined };
    matches(await sweeping.getRolloutById(rolloutId), { status, lostAttempts: 0, attempt });
    equal(await sweeping.dequeueRollout(), undefined);
  };
}

/** A finish between a span's read and its write: the span is kept, and opens nothing again. */
async function finishedWhileSpanArrives(context: CaseContext): Promise<void> {
  const { store } = context;
  const gate = createGate("appendSpans", "before");
  const late = await context.openOver(gate.over);
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  gate.hold();
  const arriving = late.addSpan(spanOf(attempt));
  await gate.reached();
  await store.reportAttempt(rolloutId, attempt.attemptId, { status: "succeeded" });
  const finished = await store.getRolloutById(rolloutId);
  gate.open();
  matches(await arriving, { sequenceId: 1 });
  matches(await store.getRolloutById(rolloutId), {
    status: "succeeded",
    endTimeMs: finished?.endTimeMs,
    attempt: { status: "succeeded" },
  });
  equal((await store.querySpans(rolloutId)).total, 1);
}

/** The other order: the span is stored, the finish comes before the status that the span would set. */
async function finishedBeforeSpanMoves(context: CaseContext): Promise<void> {
  const { store } = context;
  const gate = createGate("appendSpans", "after");
  const late = await context.openOver(gate.over);
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  gate.hold();
  const arriving = late.addSpan(spanOf(attempt));
  await gate.reached();
  await store.reportAttempt(rolloutId, attempt.attemptId, { status: "failed" });
  gate.open();
  await arriving;
  matches(await store.getRolloutById(rolloutId), { status: "failed", attempt: { status: "failed" } });
}

async function cancelledWhileReported(context: CaseContext): Promise<void> {
  const { store } = context;
  const gate = createGate("changeRollout", "before");
  const runner = await context.openOver(gate.over);
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  gate.hold();
  const reporting = runner.reportAttempt(rolloutId, attempt.attemptId, { status: "succeeded" });
  await gate.reached();
  await store.updateRollout(rolloutId, { status: "cancelled" });
  gate.open();
  matches(await reporting, { status: "lost", reason: "cancelled" });
  matches(await store.getRolloutById(rolloutId), { status: "cancelled", attempt: { endReason: "cancelled" } });
}

async function claimedWhileCancelled(context: CaseContext): Promise<void> {
  const { store } = context;
  const gate = createGate("changeRollout", "before");
  const algorithm = await context.openOver(gate.over);
  const { rolloutId } = await store.enqueueRollout({ input: null });
  gate.hold();
  const cancelling = algorithm.updateRollout(rolloutId, { status: "cancelled" });
  await gate.reached();
  const { attempt } = await claim(store);
  gate.open();
  await cancelling;
  matches(await store.getRolloutById(rolloutId), { status: "cancelled", attempt: { status: "failed" } });
  matches(await store.renewLease(rolloutId, attempt.attemptId, { leaseMs: 1_000 }), { reason: "cancelled" });
}

/** The first call of these operations is done, and its answer is lost. */
function losingReplies(driver: StoreDriver): StoreDriver {
  const lost = new Set<string>();
  const lose = async <T>(operation: string, work: () => T | Promise<T>): Promise<T> => {
    const result = await work();
    if (lost.has(operation)) return result;
    lost.add(operation);
    throw new LightningError({ code: "unavailable", message: `the answer to ${operation} was lost` });
  };
  return override(driver, {
    insertRollouts: (records, workers) => lose("insert", () => driver.insertRollouts(records, workers)),
    claimRollouts: (request, begin) => lose("claim", () => driver.claimRollouts(request, begin)),
    appendSpans: (batches, nowMs) => lose("append", () => driver.appendSpans(batches, nowMs)),
    changeRollout: (rolloutId, decide) => lose("change", () => driver.changeRollout(rolloutId, decide)),
    putResources: (update, version) => lose("put", () => driver.putResources(update, version)),
  });
}

async function twice<T>(call: () => Promise<T>): Promise<T> {
  await refuses(call(), "unavailable");
  return call();
}

async function everyWriteRepeated(context: CaseContext): Promise<void> {
  const store = await context.openOver(losingReplies);
  const request = { input: 1, idempotencyKey: "k" };
  const { rolloutId } = await twice(() => store.enqueueRollout(request));
  const claimed = await twice(() => store.dequeueRollout({ requestId: "r", workerId: "w" }));
  const attemptId = claimed?.attempt.attemptId ?? "";
  const span = spanOf({ rolloutId, attemptId });
  await twice(() => store.addManySpans([span]));
  await twice(() => store.reportAttempt(rolloutId, attemptId, { status: "succeeded" }));
  await twice(() => store.addResources({}, { idempotencyKey: "r" }));
  matches(await context.store.getRolloutById(rolloutId), {
    status: "succeeded",
    attempt: { attemptId, sequenceId: 1 },
  });
  matches(await context.store.statistics(), {
    totalRollouts: 1,
    totalAttempts: 1,
    totalSpans: 1,
    totalResources: 1,
    queuedRollouts: 0,
  });
  matches(await context.store.getWorkerById("w"), { status: "idle", currentAttemptId: undefined });
}

/** A callback that throws aborts its operation and nothing else. */
async function refusedAmongOthers(context: CaseContext): Promise<void> {
  const { store } = context;
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  const outcomes = await Promise.allSettled([
    store.enqueueRollout({ input: "a" }),
    store.reportAttempt(rolloutId, "at-unknown", { status: "failed" }),
    store.addSpan(spanOf({ rolloutId, attemptId: "at-unknown" })),
    store.addSpan(spanOf(attempt)),
    store.enqueueRollout({ input: "b" }),
  ]);
  equal(
    outcomes.map(({ status }) => status),
    ["fulfilled", "rejected", "rejected", "fulfilled", "fulfilled"],
  );
  equal(await drain(store), ["a", "b"]);
  matches(await store.getRolloutById(rolloutId), { status: "running", attempt: { status: "running" } });
}

async function renewedInTime(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  await enqueue(store, 1);
  const { rolloutId, attempt } = await claim(store, { leaseMs: 30 * unitMs });
  for (let beat = 0; beat < 6; beat += 1) {
    await context.advance(10 * unitMs);
    matches(await store.renewLease(rolloutId, attempt.attemptId, { leaseMs: 30 * unitMs }), { status: "held" });
  }
  matches(await store.getRolloutById(rolloutId), { status: "preparing", lostAttempts: 0 });
}

export const faultsCases: readonly ConformanceCase[] = casesOf("faults", [
  [
    "a renewal that comes before a sweep's verdict is written keeps the attempt",
    renewedWhileSwept("before", "preparing"),
    needsDriver,
  ],
  [
    "a renewal that comes after a sweep's verdict was written takes it back",
    renewedWhileSwept("after", "running"),
    needsDriver,
  ],
  [
    "a finish before a span is written: the span is kept, the rollout stays finished",
    finishedWhileSpanArrives,
    needsDriver,
  ],
  [
    "a finish after a span is written, before its status: the rollout stays finished",
    finishedBeforeSpanMoves,
    needsDriver,
  ],
  ["a cancel before a report is written: the report is lost and says so", cancelledWhileReported, needsDriver],
  ["a claim before a cancel is written: the claimed attempt is cancelled with it", claimedWhileCancelled, needsDriver],
  ["every write whose answer was lost may be repeated", everyWriteRepeated, needsDriver],
  ["one call that is refused takes none of those made at once with it", refusedAmongOthers],
  ["a lease that is renewed in time is held for as long as that goes on", renewedInTime],
]);
