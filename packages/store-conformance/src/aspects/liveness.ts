import { claim, enqueue, enqueueAndClaim, spanOf } from "../arrange.ts";
import { type CaseContext, casesOf, type ConformanceCase } from "../case.ts";
import { equal, holds, matches } from "../check.ts";

const onSilence = { maxAttempts: 2, retryCondition: ["unresponsive" as const] };

async function onlyAfterTheBound(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const { rolloutId } = await enqueueAndClaim(store, { config: { timeoutMs: 2 * unitMs, unresponsiveMs: 2 * unitMs } });
  if (context.clock === "injected") {
    await context.advance(2 * unitMs);
    matches(await store.getRolloutById(rolloutId), { status: "preparing" }, "at the bound it still holds");
  }
  await context.advance(2 * unitMs);
  matches(
    await store.getRolloutById(rolloutId),
    { attempt: { status: "timeout" } },
    "timeout is judged before silence",
  );
}

async function silenceWithoutRetry(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const config = { unresponsiveMs: unitMs, maxAttempts: 3, retryCondition: ["failed" as const] };
  const { rolloutId } = await enqueueAndClaim(store, { config }, { workerId: "w" });
  await context.advance(unitMs + 1);
  const over = await store.getRolloutById(rolloutId);
  matches(over, { status: "failed", lostAttempts: 0, attempt: { status: "unresponsive", sequenceId: 1 } });
  holds(over?.attempt?.endTimeMs !== undefined, "an attempt that was silent has an end time");
  matches(await store.getWorkerById("w"), {
    status: "unknown",
    currentRolloutId: undefined,
    currentAttemptId: undefined,
  });
}

async function spansAreLife(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const { rolloutId, attempt } = await enqueueAndClaim(store, { config: { unresponsiveMs: 4 * unitMs } });
  for (let round = 0; round < 4; round += 1) {
    await context.advance(2 * unitMs);
    if (round % 2 === 0) await store.addSpan(spanOf(attempt));
    else matches(await store.heartbeatAttempt(rolloutId, attempt.attemptId), { status: "held" });
  }
  matches(await store.getRolloutById(rolloutId), { status: "running", attempt: { status: "running" } });
  await context.advance(4 * unitMs + 1);
  matches(await store.getRolloutById(rolloutId), { status: "failed", attempt: { status: "unresponsive" } });
}

async function timeoutIsNotPutOff(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const { rolloutId, attempt } = await enqueueAndClaim(store, { config: { timeoutMs: 4 * unitMs } });
  await context.advance(2 * unitMs);
  await store.addSpan(spanOf(attempt));
  await store.heartbeatAttempt(rolloutId, attempt.attemptId);
  await context.advance(2 * unitMs + 1);
  matches(await store.getRolloutById(rolloutId), { status: "failed", attempt: { status: "timeout" } });
}

async function revivedBySpan(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const config = { ...onSilence, unresponsiveMs: unitMs };
  const { rolloutId, attempt } = await enqueueAndClaim(store, { config });
  await context.advance(unitMs + 1);
  matches(await store.getRolloutById(rolloutId), { status: "requeuing", attempt: { status: "unresponsive" } });
  await store.addSpan(spanOf(attempt));
  matches(await store.getRolloutById(rolloutId), {
    status: "running",
    attempt: { status: "running", endTimeMs: undefined, endReason: undefined },
  });
  equal(await store.dequeueRollout(), undefined, "its retry is withdrawn");
  await context.advance(unitMs + 1);
  matches(
    await store.getRolloutById(rolloutId),
    { status: "requeuing", attempt: { sequenceId: 1 } },
    "silence counts on",
  );
}

function revivedAnd(status: "succeeded" | "failed"): (context: CaseContext) => Promise<void> {
  return async (context) => {
    const { store, unitMs } = context;
    const { rolloutId, attempt } = await enqueueAndClaim(store, { config: { ...onSilence, unresponsiveMs: unitMs } });
    await context.advance(unitMs + 1);
    await store.getRolloutById(rolloutId);
    await store.addSpan(spanOf(attempt));
    matches(await store.reportAttempt(rolloutId, attempt.attemptId, { status }), { status: "applied" });
    matches(await store.getRolloutById(rolloutId), { status, attempt: { status } });
    equal(await store.dequeueRollout(), undefined);
  };
}

async function lateSpanOfSuperseded(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const { rolloutId, attempt: first } = await enqueueAndClaim(store, {
    config: { ...onSilence, unresponsiveMs: unitMs },
  });
  await context.advance(unitMs + 1);
  const { attempt: second } = await claim(store);
  await store.addSpan(spanOf(first));
  matches(await store.getRolloutById(rolloutId), {
    status: "preparing",
    attempt: { attemptId: second.attemptId, status: "preparing" },
  });
  equal(await store.dequeueRollout(), undefined);
}

async function lateSpansReviveNothingElse(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const config = { timeoutMs: unitMs, maxAttempts: 3, retryCondition: ["failed" as const, "timeout" as const] };
  const { rolloutId, attempt: first } = await enqueueAndClaim(store, { config });
  await store.reportAttempt(rolloutId, first.attemptId, { status: "failed" });
  await store.addSpan(spanOf(first));
  matches(await store.getRolloutById(rolloutId), { status: "requeuing", attempt: { status: "failed" } });
  const { attempt: second } = await claim(store);
  await context.advance(unitMs + 1);
  await store.addManySpans([spanOf(second), spanOf(second)]);
  matches(await store.getRolloutById(rolloutId), { status: "requeuing", attempt: { status: "timeout" } });
  const { attempt: third } = await claim(store);
  equal(third.sequenceId, 3, "no retry is lost");
  await store.addSpan(spanOf(first));
  await store.reportAttempt(rolloutId, third.attemptId, { status: "succeeded" });
  const done = await store.getRolloutById(rolloutId);
  await store.addSpan(spanOf(third));
  matches(await store.getRolloutById(rolloutId), { status: "succeeded", endTimeMs: done?.endTimeMs });
  equal((await store.querySpans(rolloutId)).total, 5, "and every span is kept");
}

async function heartbeatOfTheDead(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const { rolloutId, attempt } = await enqueueAndClaim(store, {}, { leaseMs: unitMs });
  await store.reportAttempt(rolloutId, attempt.attemptId, { status: "succeeded" });
  const done = await store.getRolloutById(rolloutId);
  matches(await store.heartbeatAttempt(rolloutId, attempt.attemptId), { status: "lost" });
  matches(await store.renewLease(rolloutId, attempt.attemptId, { leaseMs: unitMs }), { status: "lost" });
  await context.advance(2 * unitMs);
  equal(await store.getRolloutById(rolloutId), done, "a beat after the end is nothing");
}

async function ofAnOlderAttempt(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const { rolloutId, attempt: old } = await enqueueAndClaim(store, { config: { unresponsiveMs: 4 * unitMs } });
  await store.startAttempt(rolloutId);
  await context.advance(2 * unitMs);
  await store.addSpan(spanOf(old));
  await context.advance(2 * unitMs + 1);
  matches(await store.getRolloutById(rolloutId), {
    status: "failed",
    attempt: { sequenceId: 2, status: "unresponsive" },
  });
}

async function lateSuccess(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const { rolloutId, attempt } = await enqueueAndClaim(store, { config: { unresponsiveMs: unitMs } });
  await context.advance(unitMs + 1);
  const finished = await store.waitForRollouts([rolloutId]);
  matches(finished, [{ status: "failed" }]);
  const abort = new AbortController();
  const events = store.watchRollouts({ signal: abort.signal })[Symbol.asyncIterator]();
  await store.addSpan(spanOf(attempt));
  matches(await store.updateAttempt(rolloutId, attempt.attemptId, { status: "succeeded" }), { status: "succeeded" });
  matches(await store.getRolloutById(rolloutId), { status: "failed" });
  const marker = await store.enqueueRollout({ input: "marker" });
  matches((await events.next()).value, { rolloutId: marker.rolloutId }, "nobody is told of the end a second time");
  abort.abort();
}

async function sweptWithoutTraffic(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const { rolloutId } = await enqueueAndClaim(store, { config: { timeoutMs: unitMs } });
  const finished = store.waitForRollouts([rolloutId]);
  await context.advance(unitMs + 2);
  matches(await finished, [{ status: "failed", attempt: { status: "timeout" } }]);
}

async function claimNeverGetsOverdue(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  await store.enqueueRollout({ input: "stale", config: { claimWithinMs: unitMs } });
  await store.enqueueRollout({ input: "fresh" });
  await context.advance(unitMs + 1);
  equal((await claim(store)).input, "fresh");
}

async function manyAtOnce(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const config = { timeoutMs: unitMs, maxAttempts: 2, retryCondition: ["timeout" as const] };
  const rollouts = await enqueue(store, 200, { config });
  await store.dequeueManyRollouts({ limit: 200, workerId: "w" });
  await context.advance(unitMs + 1);
  await Promise.all(rollouts.map(({ rolloutId }) => store.getRolloutById(rolloutId)));
  const { items } = await store.queryRollouts({ statusIn: ["requeuing"] });
  equal(items.length, 200);
  equal((await store.statistics()).queuedRollouts, 200, "each is queued once");
  const again = await store.dequeueManyRollouts({ limit: 500 });
  equal(new Set(again.map(({ rolloutId }) => rolloutId)).size, 200);
}

async function reportAtTheDeadline(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  for (let round = 0; round < 6; round += 1) {
    const config = { timeoutMs: unitMs };
    const { rolloutId, attempt } = await enqueueAndClaim(store, { input: { task: round }, config });
    const report = context
      .advance(unitMs - 1 + (round % 3))
      .then(() => store.reportAttempt(rolloutId, attempt.attemptId, { status: "succeeded" }));
    const [outcome] = await Promise.all([report, store.getRolloutById(rolloutId)]);
    const isApplied = outcome.status === "applied";
    matches(await store.getRolloutById(rolloutId), {
      status: isApplied ? "succeeded" : "failed",
      input: { task: round },
      attempt: { status: isApplied ? "succeeded" : "timeout", sequenceId: 1 },
    });
  }
  matches(await store.statistics(), { totalRollouts: 6, totalAttempts: 6 });
}

export const livenessCases: readonly ConformanceCase[] = casesOf("liveness", [
  ["an attempt is ended strictly after its bound, and timeout is judged before silence", onlyAfterTheBound],
  ["a silent attempt ends unresponsive, and its worker is unknown", silenceWithoutRetry],
  ["spans and heartbeats put off the end by silence", spansAreLife],
  ["nothing puts off the timeout", timeoutIsNotPutOff],
  ["a silent attempt without a lease is revived by a span, which withdraws its retry", revivedBySpan],
  ["a revived attempt that succeeds has succeeded", revivedAnd("succeeded")],
  ["a revived attempt that fails has failed", revivedAnd("failed")],
  ["a late span of an attempt that was silent and superseded moves nothing", lateSpanOfSuperseded],
  [
    "a late span of a failed, timed-out or succeeded attempt is kept, and takes no retry away",
    lateSpansReviveNothingElse,
  ],
  ["a heartbeat or renewal after the end is answered with lost, and changes nothing", heartbeatOfTheDead],
  ["spans of an older attempt do not put off the end of the latest", ofAnOlderAttempt],
  [
    "late success of an attempt declared lost is noted on it; the rollout stays failed, nobody is told twice",
    lateSuccess,
  ],
  ["a wait ends although its only runner died and nobody calls the store", sweptWithoutTraffic],
  ["a claim never gets what is overdue", claimNeverGetsOverdue],
  ["two hundred attempts that expire at one instant are each queued once", manyAtOnce],
  ["a report of success at the instant of the timeout leaves one outcome and no ghost", reportAtTheDeadline],
]);
