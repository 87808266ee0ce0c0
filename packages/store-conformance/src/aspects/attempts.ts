import { claim, enqueueAndClaim, spanOf } from "../arrange.ts";
import { type CaseContext, casesOf, type ConformanceCase } from "../case.ts";
import { equal, holds, matches, refuses } from "../check.ts";

async function started({ store }: CaseContext): Promise<void> {
  const config = { maxAttempts: 2, timeoutMs: 60_000 };
  const rollout = await store.startRollout({ input: { task: 1 }, config, mode: "test", workerId: "w" });
  const { rolloutId, attempt } = rollout;
  holds(attempt.attemptId.startsWith("at-"), `the attempt id starts with at-: ${attempt.attemptId}`);
  matches(rollout, { status: "preparing", input: { task: 1 }, mode: "test", config });
  matches(attempt, { rolloutId, sequenceId: 1, status: "preparing", workerId: "w", endTimeMs: undefined });
  equal(await store.getRolloutById(rolloutId), rollout);
  equal(await store.getLatestAttempt(rolloutId), attempt);
  equal((await store.queryAttempts(rolloutId)).items, [attempt]);
  equal(await store.dequeueRollout(), undefined, "it is never queued");
}

async function byHand({ store }: CaseContext): Promise<void> {
  const { rolloutId } = await store.enqueueRollout({ input: null, config: { maxAttempts: 2 } });
  matches(await store.startAttempt(rolloutId), { status: "preparing", attempt: { sequenceId: 1 } });
  equal(await store.dequeueRollout(), undefined, "it has left the queue");
  await store.startAttempt(rolloutId);
  matches(await store.startAttempt(rolloutId), { attempt: { sequenceId: 3 } }, "maxAttempts does not bind this");
  await refuses(store.startAttempt("ro-unknown"), "rollout_not_found");
  const second = await enqueueAndClaim(store);
  matches(await store.startAttempt(second.rolloutId), { attempt: { sequenceId: 2 } });
}

async function newestIsShown({ store }: CaseContext): Promise<void> {
  const queued = await store.enqueueRollout({ input: null });
  matches(queued, { attempt: undefined });
  equal(await store.getLatestAttempt(queued.rolloutId), undefined);
  equal((await store.queryAttempts(queued.rolloutId)).items, []);
  const { rolloutId } = await claim(store);
  const { attempt } = await store.startAttempt(rolloutId);
  matches(await store.getRolloutById(rolloutId), { attempt: { attemptId: attempt.attemptId, sequenceId: 2 } });
  matches((await store.queryRollouts()).items, [{ attempt: { attemptId: attempt.attemptId } }]);
  equal(await store.getLatestAttempt("ro-unknown"), undefined);
  equal((await store.queryAttempts("ro-unknown")).total, 0);
}

async function updatedTogether({ store }: CaseContext): Promise<void> {
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  const lastHeartbeatTimeMs = attempt.startTimeMs + 5;
  const updated = await store.updateAttempt(rolloutId, attempt.attemptId, {
    status: "running",
    workerId: "w",
    lastHeartbeatTimeMs,
    metadata: { step: 1 },
  });
  matches(updated, {
    status: "running",
    workerId: "w",
    lastHeartbeatTimeMs,
    metadata: { step: 1 },
    endTimeMs: undefined,
  });
  equal(await store.getLatestAttempt(rolloutId), updated);
  matches(await store.getRolloutById(rolloutId), { status: "running", endTimeMs: undefined });
}

async function latestByName({ store }: CaseContext): Promise<void> {
  const { rolloutId } = await enqueueAndClaim(store);
  await store.startAttempt(rolloutId);
  const ended = await store.updateAttempt(rolloutId, "latest", { status: "succeeded" });
  matches(ended, { sequenceId: 2, status: "succeeded" });
  holds(ended.endTimeMs !== undefined && ended.endTimeMs >= ended.startTimeMs, "the end is not before the start");
  matches(await store.getRolloutById(rolloutId), { status: "succeeded" });
}

async function failedEnds({ store }: CaseContext): Promise<void> {
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  const ended = await store.updateAttempt(rolloutId, attempt.attemptId, { status: "failed" });
  const rollout = await store.getRolloutById(rolloutId);
  matches(rollout, { status: "failed", attempt: { status: "failed", endTimeMs: ended.endTimeMs } });
  const { endTimeMs = Number.NaN } = rollout ?? {};
  holds(endTimeMs >= (ended.endTimeMs ?? Number.NaN), "the rollout ends no earlier than its attempt");
}

async function supersededMovesNothing({ store }: CaseContext): Promise<void> {
  const config = { maxAttempts: 3, retryCondition: ["failed" as const] };
  const { rolloutId, attempt: first } = await enqueueAndClaim(store, { config });
  const { attempt: second } = await store.startAttempt(rolloutId);
  matches(await store.updateAttempt(rolloutId, first.attemptId, { status: "failed" }), { status: "failed" });
  matches(await store.getRolloutById(rolloutId), { status: "preparing", endTimeMs: undefined });
  equal(await store.dequeueRollout(), undefined, "no retry of an attempt that was superseded");
  await store.updateAttempt(rolloutId, second.attemptId, { status: "failed" });
  matches(await store.getRolloutById(rolloutId), { status: "requeuing" });
}

async function lateAfterSuccess({ store }: CaseContext): Promise<void> {
  const { rolloutId, attempt: first } = await enqueueAndClaim(store);
  await store.startAttempt(rolloutId);
  await store.updateAttempt(rolloutId, "latest", { status: "succeeded" });
  const third = await store.startAttempt(rolloutId);
  matches(third, { status: "preparing", endTimeMs: undefined, attempt: { sequenceId: 3 } });
  await store.updateAttempt(rolloutId, first.attemptId, { status: "failed" });
  matches(await store.getRolloutById(rolloutId), { status: "preparing" });
  await store.updateAttempt(rolloutId, "latest", { status: "failed" });
  matches(await store.getRolloutById(rolloutId), { status: "failed" });
}

function whoDecides(
  stale: "succeeded" | "failed",
  real: "succeeded" | "failed",
): (context: CaseContext) => Promise<void> {
  return async (context) => {
    const { store, unitMs } = context;
    const { rolloutId, attempt: first } = await enqueueAndClaim(store, {}, { leaseMs: unitMs, workerId: "w1" });
    await context.advance(unitMs + 1);
    const { attempt: second } = await claim(store, { leaseMs: 20 * unitMs, workerId: "w2" });
    const late = await store.reportAttempt(rolloutId, first.attemptId, { status: stale });
    matches(late, { status: "lost", reason: "superseded" });
    matches(await store.getRolloutById(rolloutId), { status: "preparing", attempt: { attemptId: second.attemptId } });
    matches(await store.getWorkerById("w2"), { status: "busy", currentAttemptId: second.attemptId });
    const report = () => store.reportAttempt(rolloutId, second.attemptId, { status: real });
    matches(await report(), { status: "applied" });
    const after = await store.getRolloutById(rolloutId);
    matches(after, { status: real, attempt: { attemptId: second.attemptId } });
    matches(await store.reportAttempt(rolloutId, first.attemptId, { status: stale }), { status: "lost" });
    equal(await store.getRolloutById(rolloutId), after, "one end, which nothing moves again");
  };
}

async function cancelled({ store, unitMs }: CaseContext): Promise<void> {
  const { rolloutId, attempt } = await enqueueAndClaim(store, {}, { workerId: "w", leaseMs: 20 * unitMs });
  await store.updateRollout(rolloutId, { status: "cancelled" });
  const rollout = await store.getRolloutById(rolloutId);
  matches(rollout, { status: "cancelled", attempt: { status: "failed", endReason: "cancelled" } });
  holds(rollout?.endTimeMs !== undefined && rollout.attempt?.endTimeMs !== undefined, "both have an end time");
  matches(await store.getWorkerById("w"), { status: "idle", currentAttemptId: undefined });
  const lost = { status: "lost", reason: "cancelled" };
  matches(await store.renewLease(rolloutId, attempt.attemptId, { leaseMs: unitMs }), lost);
  matches(await store.heartbeatAttempt(rolloutId, attempt.attemptId), lost);
  matches(await store.reportAttempt(rolloutId, attempt.attemptId, { status: "succeeded" }), lost);
  await store.updateAttempt(rolloutId, attempt.attemptId, { status: "succeeded" });
  await store.addSpan(spanOf(attempt));
  matches(await store.getRolloutById(rolloutId), { status: "cancelled", attempt: { status: "failed" } });
  equal((await store.querySpans(rolloutId)).total, 1, "its span is kept");
}

async function finalButForReopen({ store }: CaseContext): Promise<void> {
  const { rolloutId } = await store.enqueueRollout({ input: null });
  const done = await store.updateRollout(rolloutId, { status: "succeeded" });
  holds(done.endTimeMs !== undefined && done.endTimeMs >= done.startTimeMs, "the end is not before the start");
  for (const status of ["failed", "cancelled", "running", "preparing"] as const) {
    matches(await store.updateRollout(rolloutId, { status }), { status: "succeeded", endTimeMs: done.endTimeMs });
  }
  matches(await store.updateRollout(rolloutId, { status: "requeuing" }), { status: "requeuing", endTimeMs: undefined });
  await store.updateRollout(rolloutId, { status: "failed" });
  const again = await store.startAttempt(rolloutId);
  matches(again, { status: "preparing", endTimeMs: undefined, attempt: { sequenceId: 1 } });
}

async function changedWhole({ store }: CaseContext): Promise<void> {
  const [a, b] = await store.enqueueManyRollouts([
    { input: 1, mode: "train", metadata: { old: true }, config: { maxAttempts: 2 } },
    { input: 2, config: { maxAttempts: 7 } },
  ]);
  const { rolloutId = "" } = a ?? {};
  const changes = {
    status: "requeuing" as const,
    mode: "val" as const,
    resourcesId: "rs-x",
    config: { maxAttempts: 3, retryCondition: ["failed" as const] },
    metadata: { fresh: true },
  };
  matches(await store.updateRollout(rolloutId, changes), changes);
  const read = await store.getRolloutById(rolloutId);
  matches(read, changes);
  equal(read?.metadata, { fresh: true }, "values replace wholesale");
  matches(await store.getRolloutById(b?.rolloutId ?? ""), { config: { maxAttempts: 7 }, mode: undefined });
  await refuses(store.updateRollout("ro-unknown", { mode: "val" }), "rollout_not_found");
}

async function undefinedAndNull({ store }: CaseContext): Promise<void> {
  const { rolloutId } = await store.enqueueRollout({ input: 1, mode: "train", metadata: { kept: 1 } });
  matches(await store.updateRollout(rolloutId, { mode: undefined, status: undefined, metadata: undefined }), {
    mode: "train",
    status: "queuing",
    metadata: { kept: 1 },
  });
  matches(await store.updateRollout(rolloutId, { mode: null }), { mode: undefined });
  matches(await store.getRolloutById(rolloutId), { mode: undefined, metadata: { kept: 1 } });
}

async function missingIsNamed({ store }: CaseContext): Promise<void> {
  const { rolloutId } = await store.enqueueRollout({ input: null });
  await refuses(store.updateAttempt("ro-unknown", "latest", {}), "rollout_not_found");
  await refuses(store.updateAttempt(rolloutId, "latest", {}), "attempt_not_found");
  await refuses(store.updateAttempt(rolloutId, "at-madeup", {}), "attempt_not_found");
  await refuses(store.reportAttempt("ro-unknown", "at-x", { status: "failed" }), "rollout_not_found");
  await refuses(store.reportAttempt(rolloutId, "at-x", { status: "failed" }), "attempt_not_found");
  await refuses(store.releaseAttempt(rolloutId, "at-x"), "attempt_not_found");
}

async function togetherInAnyOrder({ store }: CaseContext): Promise<void> {
  for (let round = 0; round < 12; round += 1) {
    const { rolloutId, attempt } = await enqueueAndClaim(store);
    const calls = [
      () => store.addSpan(spanOf(attempt)),
      () => store.reportAttempt(rolloutId, attempt.attemptId, { status: "succeeded" }),
      () => store.updateRollout(rolloutId, { metadata: { round } }),
    ];
    await Promise.all([0, 1, 2].map(async (step) => calls[(step + round) % 3]?.()));
    matches(await store.getRolloutById(rolloutId), {
      status: "succeeded",
      metadata: { round },
      attempt: { status: "succeeded" },
    });
    const { lastHeartbeatTimeMs } = (await store.getLatestAttempt(rolloutId)) ?? {};
    holds(lastHeartbeatTimeMs !== undefined, "the span's heartbeat is stamped");
    equal((await store.querySpans(rolloutId)).total, 1);
  }
}

async function firstReportWins({ store }: CaseContext): Promise<void> {
  for (let round = 0; round < 10; round += 1) {
    const { rolloutId, attempt } = await enqueueAndClaim(store);
    const statuses = ["succeeded", "failed"] as const;
    const outcomes = await Promise.all(
      statuses.map((status) => store.reportAttempt(rolloutId, attempt.attemptId, { status })),
    );
    const winners = statuses.filter((status, index) => outcomes[index]?.status === "applied" && status !== undefined);
    equal(winners.length, 1, "one of two different reports is applied");
    matches(await store.getRolloutById(rolloutId), { status: winners[0], attempt: { status: winners[0] } });
  }
}

async function reportCarriesItsReason({ store }: CaseContext): Promise<void> {
  const { rolloutId, attempt } = await enqueueAndClaim(store, {}, { workerId: "w" });
  const report = { status: "failed" as const, error: "TypeError: no such tool", droppedSpans: 3 };
  matches(await store.reportAttempt(rolloutId, attempt.attemptId, report), {
    status: "applied",
    attempt: { status: "failed", droppedSpans: 3 },
  });
  const stored = await store.getLatestAttempt(rolloutId);
  holds(JSON.stringify(stored).includes("TypeError: no such tool"), "what went wrong is on the attempt");
}

export const attemptsCases: readonly ConformanceCase[] = casesOf("attempts", [
  ["a started rollout has attempt 1, preparing, and is never queued", started],
  ["attempts started by hand are numbered on, leave the queue, and no bound holds them", byHand],
  ["a rollout shows its newest attempt, and none before the first", newestIsShown],
  ["status, worker, heartbeat and metadata of an attempt are stored together", updatedTogether],
  ["the name latest addresses the attempt with the highest number", latestByName],
  ["a failed attempt without retries fails its rollout, which ends no earlier", failedEnds],
  ["a superseded attempt that fails moves nothing; the latest one that fails is retried", supersededMovesNothing],
  ["an attempt after a success opens the rollout again, and an older one's failure changes nothing", lateAfterSuccess],
  [
    "a runner that lost its claim says succeeded in vain; the latest attempt's failure decides",
    whoDecides("succeeded", "failed"),
  ],
  [
    "a runner that lost its claim says failed in vain; the latest attempt's success decides",
    whoDecides("failed", "succeeded"),
  ],
  ["cancelling ends the live attempt, frees its worker, and what comes later moves nothing but is kept", cancelled],
  ["terminal is final except for a reopen, which clears the end time", finalButForReopen],
  ["a rollout's fields are changed in one call, wholesale, and no other rollout's", changedWhole],
  ["an update with undefined leaves the field alone; null clears it", undefinedAndNull],
  ["an unknown rollout and an unknown attempt are told apart", missingIsNamed],
  ["a span, a report and a change of metadata at once all take effect, in any order", togetherInAnyOrder],
  ["of two different reports at once one is applied, and decides", firstReportWins],
  ["a report's error and its dropped spans are on the attempt", reportCarriesItsReason],
]);
