import { claim, drain, enqueue, spanOf } from "../arrange.ts";
import { type CaseContext, casesOf, type ConformanceCase } from "../case.ts";
import { equal, holds, matches } from "../check.ts";

async function everythingIsThere(context: CaseContext): Promise<void> {
  const { store } = context;
  const resources = await store.updateResources("r", {
    prompt: { resourceType: "prompt_template", template: "{x}", engine: "f-string" },
  });
  await enqueue(store, 2, { metadata: { deep: { list: [1, -0, "é"] } }, mode: "train" });
  const { rolloutId, attempt } = await claim(store, { workerId: "w" });
  const span = await store.addSpan(spanOf(attempt, { attributes: { tokens: [1, 2, 3] } }));
  await store.reportAttempt(rolloutId, attempt.attemptId, { status: "succeeded" });
  const before = {
    rollouts: (await store.queryRollouts()).items,
    attempts: (await store.queryAttempts(rolloutId)).items,
    spans: (await store.querySpans(rolloutId)).items,
    workers: (await store.queryWorkers()).items,
  };
  await store.close();
  const again = await context.open();
  equal(
    {
      rollouts: (await again.queryRollouts()).items,
      attempts: (await again.queryAttempts(rolloutId)).items,
      spans: (await again.querySpans(rolloutId)).items,
      workers: (await again.queryWorkers()).items,
    },
    before,
  );
  equal(before.spans, [span]);
  equal(await again.getLatestResources(), resources);
  matches(await again.statistics(), { totalRollouts: 2, totalAttempts: 1, totalSpans: 1, queuedRollouts: 1 });
}

async function queueGoesOn(context: CaseContext): Promise<void> {
  const { store } = context;
  await enqueue(store, 3);
  const { rolloutId, attempt } = await claim(store);
  await store.releaseAttempt(rolloutId, attempt.attemptId);
  await store.close();
  // Places in the queue are ordered by the store's time; within one instant each handle counts for itself.
  await context.advance(1);
  const again = await context.open();
  await again.enqueueRollout({ input: 3 });
  equal(await drain(again), [0, 1, 2, 3], "what was handed back is at the head, what is new at the tail");
}

async function numbersGoOn(context: CaseContext): Promise<void> {
  const { store } = context;
  await enqueue(store, 1);
  const { rolloutId, attempt } = await claim(store);
  await store.addSpan(spanOf(attempt));
  await store.getNextSpanSequenceId(rolloutId, attempt.attemptId);
  await store.close();
  const again = await context.open();
  equal((await again.addSpan(spanOf(attempt)))?.sequenceId, 3);
  equal((await again.startAttempt(rolloutId)).attempt.sequenceId, 2);
}

async function deadlinesGoOn(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const { rolloutId } = await store.enqueueRollout({ input: null });
  await claim(store, { leaseMs: 2 * unitMs, workerId: "w" });
  await store.close();
  const again = await context.open();
  await context.advance(2 * unitMs + 1);
  matches(await again.getRolloutById(rolloutId), { status: "requeuing", attempt: { endReason: "lease_expired" } });
  matches(await again.getWorkerById("w"), { status: "unknown", currentAttemptId: undefined });
}

async function keysGoOn(context: CaseContext): Promise<void> {
  const { store } = context;
  const { rolloutId } = await store.enqueueRollout({ input: null, idempotencyKey: "k" });
  const won = await store.dequeueRollout({ requestId: "r" });
  holds(won !== undefined, "the rollout was claimed");
  const span = spanOf(won.attempt);
  await store.addSpan(span);
  await store.close();
  const again = await context.open();
  equal((await again.enqueueRollout({ input: null, idempotencyKey: "k" })).rolloutId, rolloutId);
  equal((await again.dequeueRollout({ requestId: "r" }))?.attempt.attemptId, won.attempt.attemptId);
  equal(await again.addSpan(span), undefined);
  equal((await again.queryRollouts()).total, 1);
}

async function handleIsClosed({ store }: CaseContext): Promise<void> {
  await store.close();
  await store.close();
  const outcomes = await Promise.allSettled([
    store.enqueueRollout({ input: null }),
    store.dequeueRollout(),
    store.getRolloutById("ro-1"),
    store.statistics(),
  ]);
  for (const outcome of outcomes) matches(outcome, { status: "rejected", reason: { code: "closed" } });
}

export const durabilityCases: readonly ConformanceCase[] = casesOf("durability", [
  ["what was stored is there, to the last value, when the store is opened again", everythingIsThere, ["durable"]],
  ["the queue keeps its order over a reopening", queueGoesOn, ["durable"]],
  ["numbers of spans and attempts go on after a reopening", numbersGoOn, ["durable"]],
  ["deadlines are kept over a reopening", deadlinesGoOn, ["durable"]],
  ["keys of repeated calls are known after a reopening", keysGoOn, ["durable"]],
  ["a closed handle refuses calls and may be closed again", handleIsClosed],
]);
