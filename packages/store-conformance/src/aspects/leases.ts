import { claim, enqueueAndClaim, spanOf } from "../arrange.ts";
import { type CaseContext, casesOf, type ConformanceCase } from "../case.ts";
import { equal, holds, matches } from "../check.ts";

async function runsOut(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const request = { config: { maxLostAttempts: 1 } };
  const { rolloutId } = await enqueueAndClaim(store, request, { leaseMs: unitMs, workerId: "w" });
  await context.advance(unitMs + 1);
  matches(await store.getRolloutById(rolloutId), {
    status: "requeuing",
    lostAttempts: 1,
    attempt: { status: "unresponsive", endReason: "lease_expired" },
  });
  matches(await store.getWorkerById("w"), { status: "unknown", currentAttemptId: undefined });
  await claim(store, { leaseMs: unitMs });
  await context.advance(unitMs + 1);
  matches(await store.getRolloutById(rolloutId), { status: "failed", lostAttempts: 2 });
  equal(await store.dequeueRollout(), undefined);
}

async function silentButHealthy(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const { rolloutId, attempt } = await enqueueAndClaim(store, {}, { leaseMs: 4 * unitMs });
  const { attemptId, leaseExpiresAtMs } = attempt;
  holds(leaseExpiresAtMs !== undefined, "the claimed attempt says when its lease runs out");
  equal(leaseExpiresAtMs - attempt.startTimeMs, 4 * unitMs);
  for (let round = 0; round < 4; round += 1) {
    await context.advance(2 * unitMs);
    matches(await store.renewLease(rolloutId, attemptId, { leaseMs: 4 * unitMs }), { status: "held" });
  }
  matches(await store.getRolloutById(rolloutId), { status: "preparing", lostAttempts: 0 });
}

async function spansRenewNoLease(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const { rolloutId, attempt } = await enqueueAndClaim(store, {}, { leaseMs: 2 * unitMs });
  await context.advance(unitMs);
  await store.addSpan(spanOf(attempt));
  const stored = await store.getLatestAttempt(rolloutId);
  equal(stored?.leaseExpiresAtMs, attempt.leaseExpiresAtMs);
  holds(stored?.lastHeartbeatTimeMs !== undefined, "the span stamps the heartbeat");
  await context.advance(unitMs + 1);
  matches(await store.getRolloutById(rolloutId), { status: "requeuing", attempt: { endReason: "lease_expired" } });
}

async function silenceOfALeasedAgent(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const config = { unresponsiveMs: 3 * unitMs };
  const { rolloutId, attempt } = await enqueueAndClaim(store, { config }, { leaseMs: 20 * unitMs });
  await context.advance(2 * unitMs);
  await store.addSpan(spanOf(attempt));
  await context.advance(2 * unitMs);
  matches(await store.getRolloutById(rolloutId), { status: "running" });
  await context.advance(unitMs + 1);
  const after = await store.getRolloutById(rolloutId);
  matches(after, { status: "failed", attempt: { status: "unresponsive" } });
}

async function revivedByRenewal(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const { rolloutId, attempt } = await enqueueAndClaim(store, {}, { leaseMs: unitMs });
  const renew = () => store.renewLease(rolloutId, attempt.attemptId, { leaseMs: unitMs });
  await context.advance(unitMs + 1);
  await store.addSpan(spanOf(attempt));
  matches(await store.getRolloutById(rolloutId), { status: "requeuing", lostAttempts: 1 }, "spans do not revive it");
  matches(await renew(), { status: "held" });
  matches(await store.getRolloutById(rolloutId), {
    status: "running",
    lostAttempts: 0,
    attempt: { endReason: undefined },
  });
  equal(await store.dequeueRollout(), undefined, "its retry is withdrawn");
  await context.advance(unitMs + 1);
  await claim(store);
  equal(await renew(), { status: "lost", reason: "superseded" });
}

async function neverShortened(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const { rolloutId, attempt } = await enqueueAndClaim(store, {}, { leaseMs: 10 * unitMs });
  matches(await store.renewLease(rolloutId, attempt.attemptId, { leaseMs: unitMs }), { status: "held" });
  await context.advance(3 * unitMs);
  matches(await store.getRolloutById(rolloutId), { status: "preparing", lostAttempts: 0 });
}

async function notUndoneByOthers(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const { rolloutId, attempt } = await enqueueAndClaim(store, {}, { leaseMs: 4 * unitMs });
  await context.advance(2 * unitMs);
  await Promise.all([
    store.updateRollout(rolloutId, { metadata: { by: "algorithm" } }),
    store.renewLease(rolloutId, attempt.attemptId, { leaseMs: 8 * unitMs }),
    store.updateAttempt(rolloutId, attempt.attemptId, { metadata: { by: "runner" } }),
    store.addSpan(spanOf(attempt)),
  ]);
  await context.advance(4 * unitMs);
  matches(await store.getRolloutById(rolloutId), {
    status: "running",
    lostAttempts: 0,
    metadata: { by: "algorithm" },
    attempt: { metadata: { by: "runner" } },
  });
}

async function withoutALease(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  equal(attempt.leaseExpiresAtMs, undefined);
  await context.advance(20 * unitMs);
  matches(await store.getRolloutById(rolloutId), { status: "preparing" }, "without bounds nothing ends it");
}

async function releasedTooOften({ store, unitMs }: CaseContext): Promise<void> {
  const { rolloutId } = await store.enqueueRollout({ input: null, config: { maxLostAttempts: 2 } });
  for (let count = 1; count <= 3; count += 1) {
    const { attempt } = await claim(store, { leaseMs: 60 * unitMs, workerId: "w" });
    matches(await store.releaseAttempt(rolloutId, attempt.attemptId), { status: "applied" });
    matches(await store.getWorkerById("w"), { currentAttemptId: undefined, currentRolloutId: undefined });
    matches(await store.getRolloutById(rolloutId), { lostAttempts: count, status: count < 3 ? "requeuing" : "failed" });
  }
}

async function handedBackStays({ store, unitMs }: CaseContext): Promise<void> {
  for (const leaseMs of [undefined, 60 * unitMs]) {
    const { rolloutId, attempt } = await enqueueAndClaim(store, {}, { leaseMs });
    await store.releaseAttempt(rolloutId, attempt.attemptId);
    await store.addSpan(spanOf(attempt));
    matches(await store.getRolloutById(rolloutId), { status: "requeuing", attempt: { status: "unresponsive" } });
    if (leaseMs !== undefined) {
      matches(await store.renewLease(rolloutId, attempt.attemptId, { leaseMs }), { status: "lost" });
    }
    matches(await claim(store), { rolloutId, attempt: { sequenceId: 2 } });
  }
}

async function sameWorkerAgain(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const { rolloutId, attempt } = await enqueueAndClaim(store, {}, { leaseMs: unitMs, workerId: "w" });
  await context.advance(unitMs + 1);
  const again = await claim(store, { leaseMs: unitMs * 20, workerId: "w" });
  holds(again.attempt.attemptId !== attempt.attemptId, "a restarted worker gets an attempt of its own");
  matches(await store.renewLease(rolloutId, attempt.attemptId, { leaseMs: unitMs }), { status: "lost" });
  matches(await store.getWorkerById("w"), { status: "busy", currentAttemptId: again.attempt.attemptId });
}

async function unknownIds({ store, unitMs }: CaseContext): Promise<void> {
  const { rolloutId } = await store.enqueueRollout({ input: null });
  for (const [rollout, attempt] of [
    ["ro-unknown", "at-x"],
    [rolloutId, "at-x"],
  ] as const) {
    matches(await store.renewLease(rollout, attempt, { leaseMs: unitMs }), { status: "lost" });
    matches(await store.heartbeatAttempt(rollout, attempt), { status: "lost" });
  }
}

export const leasesCases: readonly ConformanceCase[] = casesOf("leases", [
  ["a lease that runs out puts the rollout back, uncounted, until too many were lost", runsOut],
  ["a silent agent keeps its rollout while its runner renews the lease", silentButHealthy],
  ["spans stamp the heartbeat of a leased attempt, and renew no lease", spansRenewNoLease],
  ["the silence of a leased agent is bounded where that was asked for", silenceOfALeasedAgent],
  [
    "a lost lease is revived by its runner's renewal, not by spans, and only while nobody else claimed",
    revivedByRenewal,
  ],
  ["a renewal never shortens the lease", neverShortened],
  ["a renewal at once with other changes is not undone by them, nor they by it", notUndoneByOthers],
  ["a claim without a lease is bound by what its configuration says, and by nothing else", withoutALease],
  ["an attempt handed back frees its worker, and after too many the rollout fails", releasedTooOften],
  ["neither a late span nor a renewal takes back what was handed back", handedBackStays],
  ["a worker that restarts under its name does not own its old attempt", sameWorkerAgain],
  ["a renewal of something unknown is lost, not an error", unknownIds],
]);
