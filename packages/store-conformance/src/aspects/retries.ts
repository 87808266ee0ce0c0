import type { AttemptStatus } from "@agentlightning/core";
import { claim, enqueueAndClaim, spanOf } from "../arrange.ts";
import { type CaseContext, casesOf, type ConformanceCase } from "../case.ts";
import { equal, holds, matches } from "../check.ts";

async function exactlyThree({ store }: CaseContext): Promise<void> {
  const config = { maxAttempts: 3, retryCondition: ["failed" as const] };
  const { rolloutId } = await store.enqueueRollout({ input: null, config });
  const numbers: number[] = [];
  for (let next = await store.dequeueRollout(); next !== undefined; next = await store.dequeueRollout()) {
    numbers.push(next.attempt.sequenceId);
    await store.reportAttempt(rolloutId, next.attempt.attemptId, { status: "failed", error: `${numbers.length}` });
  }
  equal(numbers, [1, 2, 3]);
  matches(await store.getRolloutById(rolloutId), { status: "failed", lostAttempts: 0 });
  equal(
    (await store.queryAttempts(rolloutId)).items.map(({ status }) => status),
    ["failed", "failed", "failed"],
  );
}

async function onlyWhatIsListed({ store }: CaseContext): Promise<void> {
  const listed = await enqueueAndClaim(store, {
    config: { maxAttempts: 2, retryCondition: ["timeout", "unresponsive"] },
  });
  await store.reportAttempt(listed.rolloutId, listed.attempt.attemptId, { status: "failed" });
  matches(await store.getRolloutById(listed.rolloutId), { status: "failed" });
  equal(await store.dequeueRollout(), undefined);
}

/** As the reference's client ends attempts: by status alone. */
function byStatus(status: AttemptStatus, after: string): (context: CaseContext) => Promise<void> {
  return async ({ store }) => {
    const config = { maxAttempts: 2, retryCondition: [status] as never };
    const { rolloutId } = await enqueueAndClaim(store, { config });
    await store.updateAttempt(rolloutId, "latest", { status });
    matches(await store.getRolloutById(rolloutId), { status: after });
  };
}

async function onTimeout(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const config = { timeoutMs: unitMs, maxAttempts: 2, retryCondition: ["timeout" as const] };
  const { rolloutId } = await enqueueAndClaim(store, { config });
  await context.advance(unitMs + 1);
  matches(await store.getRolloutById(rolloutId), {
    status: "requeuing",
    attempt: { status: "timeout", sequenceId: 1 },
  });
  equal((await store.queryAttempts(rolloutId)).total, 1);
  await claim(store);
  await context.advance(unitMs + 1);
  const over = await store.getRolloutById(rolloutId);
  matches(over, { status: "failed", attempt: { status: "timeout", sequenceId: 2 } });
  holds(over?.attempt?.endTimeMs !== undefined, "an attempt that timed out has an end time");
}

/** The slow first execution reports after the second one has claimed. */
async function slowFirst(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const config = { timeoutMs: 2 * unitMs, maxAttempts: 2, retryCondition: ["timeout" as const] };
  const { rolloutId, attempt: slow } = await enqueueAndClaim(store, { config });
  await context.advance(2 * unitMs + 1);
  const { attempt: fast } = await claim(store);
  const finished = store.waitForRollouts([rolloutId]);
  await store.addSpan(spanOf(fast));
  matches(await store.reportAttempt(rolloutId, fast.attemptId, { status: "succeeded" }), { status: "applied" });
  const before = await store.getRolloutById(rolloutId);
  await store.addSpan(spanOf(slow));
  matches(await store.reportAttempt(rolloutId, slow.attemptId, { status: "succeeded" }), { status: "lost" });
  equal(await store.getRolloutById(rolloutId), before, "one end");
  equal((await finished).length, 1);
  equal(
    (await store.queryAttempts(rolloutId)).items.map(({ status }) => status),
    ["timeout", "succeeded"],
  );
  equal((await store.querySpans(rolloutId)).total, 2);
}

async function lossesAreNotTheAgents(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const config = { maxAttempts: 2, retryCondition: ["failed" as const], maxLostAttempts: 3 };
  const { rolloutId } = await store.enqueueRollout({ input: null, config });
  const outcomes = ["lost", "failed", "released", "failed"];
  for (const outcome of outcomes) {
    const { attempt } = await claim(store, { leaseMs: unitMs });
    if (outcome === "lost") await context.advance(unitMs + 1);
    if (outcome === "released") await store.releaseAttempt(rolloutId, attempt.attemptId);
    if (outcome === "failed") await store.reportAttempt(rolloutId, attempt.attemptId, { status: "failed" });
  }
  matches(await store.getRolloutById(rolloutId), { status: "failed", lostAttempts: 2, attempt: { sequenceId: 4 } });
  equal(await store.dequeueRollout(), undefined);
}

async function againByHand({ store }: CaseContext): Promise<void> {
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  await store.reportAttempt(rolloutId, attempt.attemptId, { status: "failed" });
  await store.updateRollout(rolloutId, { status: "requeuing" });
  const { attempt: second } = await claim(store);
  await store.addSpan(spanOf(second));
  matches(await store.getRolloutById(rolloutId), { status: "running", attempt: { sequenceId: 2, status: "running" } });
  await store.reportAttempt(rolloutId, second.attemptId, { status: "succeeded" });
  equal(
    (await store.queryAttempts(rolloutId)).items.map(({ status }) => status),
    ["failed", "succeeded"],
  );
  matches(await store.getRolloutById(rolloutId), { status: "succeeded" });
}

async function configBeforeClaim(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const { rolloutId } = await store.enqueueRollout({ input: null });
  await store.updateRollout(rolloutId, { config: { timeoutMs: unitMs } });
  await claim(store);
  await context.advance(unitMs + 1);
  matches(await store.getRolloutById(rolloutId), { status: "failed", attempt: { status: "timeout" } });
}

export const retriesCases: readonly ConformanceCase[] = casesOf("retries", [
  ["an agent that always fails gets exactly its attempts, and then the rollout fails", exactlyThree],
  ["an end that the retry condition does not list is not retried", onlyWhatIsListed],
  ["an attempt set failed is retried where failed is listed", byStatus("failed", "requeuing")],
  ["an attempt set timeout is retried where timeout is listed", byStatus("timeout", "requeuing")],
  ["an attempt set unresponsive is retried where unresponsive is listed", byStatus("unresponsive", "requeuing")],
  ["a timeout is retried as long as attempts are left", onTimeout],
  ["a slow first execution that reports after its retry leaves one end and one result", slowFirst],
  ["attempts lost to infrastructure do not spend the agent's attempts", lossesAreNotTheAgents],
  ["a failed rollout that is queued again by hand can succeed", againByHand],
  ["a configuration changed before the claim is the one that holds", configBeforeClaim],
]);
