import { claim, drain, enqueueAndClaim, spanOf } from "../arrange.ts";
import { type CaseContext, casesOf, type ConformanceCase } from "../case.ts";
import { equal, holds, matches, refuses } from "../check.ts";

const prompt = {
  prompt: { resourceType: "prompt_template" as const, template: "{task}", engine: "f-string" as const },
};

async function enqueueOnce({ store }: CaseContext): Promise<void> {
  const first = await store.enqueueRollout({ input: 1, idempotencyKey: "k" });
  const again = await store.enqueueRollout({ input: 2, idempotencyKey: "k" });
  const [batched] = await store.enqueueManyRollouts([{ input: 3, idempotencyKey: "k" }]);
  equal([again.rolloutId, again.input], [first.rolloutId, 1]);
  equal(batched?.rolloutId, first.rolloutId);
  equal(await drain(store), [1], "it waits in the queue once");
}

async function enqueueAtOnce({ store }: CaseContext): Promise<void> {
  const made = await Promise.all(
    Array.from({ length: 10 }, (_, input) => store.enqueueRollout({ input, idempotencyKey: "same" })),
  );
  equal(new Set(made.map(({ rolloutId }) => rolloutId)).size, 1);
  equal((await store.queryRollouts()).total, 1);
  equal((await drain(store)).length, 1);
}

async function enqueueAfterFinish({ store }: CaseContext): Promise<void> {
  const { rolloutId } = await store.enqueueRollout({ input: null, idempotencyKey: "k" });
  const { attempt } = await claim(store);
  await store.reportAttempt(rolloutId, attempt.attemptId, { status: "succeeded" });
  matches(await store.enqueueRollout({ input: null, idempotencyKey: "k" }), { rolloutId, status: "succeeded" });
  equal(await store.dequeueRollout(), undefined);
}

async function startOnce({ store }: CaseContext): Promise<void> {
  const first = await store.startRollout({ input: 1, idempotencyKey: "k", workerId: "w" });
  const again = await store.startRollout({ input: 1, idempotencyKey: "k", workerId: "w" });
  equal(again.attempt.attemptId, first.attempt.attemptId);
  equal((await store.queryAttempts(first.rolloutId)).total, 1);
  await store.enqueueRollout({ input: 1, idempotencyKey: "queued" });
  await refuses(store.startRollout({ input: 1, idempotencyKey: "queued" }), "conflict");
}

async function startAttemptOnce({ store }: CaseContext): Promise<void> {
  const { rolloutId } = await store.enqueueRollout({ input: null });
  const first = await store.startAttempt(rolloutId, { idempotencyKey: "k" });
  const again = await store.startAttempt(rolloutId, { idempotencyKey: "k" });
  const other = await store.startAttempt(rolloutId, { idempotencyKey: "l" });
  equal(again.attempt.attemptId, first.attempt.attemptId);
  equal([first.attempt.sequenceId, other.attempt.sequenceId], [1, 2]);
}

async function claimOnce({ store }: CaseContext): Promise<void> {
  await store.enqueueManyRollouts([{ input: 0 }, { input: 1 }, { input: 2 }]);
  const won = await store.dequeueManyRollouts({ limit: 2, requestId: "r" });
  const again = await store.dequeueManyRollouts({ limit: 3, requestId: "r" });
  equal(
    again.map(({ attempt }) => attempt.attemptId),
    won.map(({ attempt }) => attempt.attemptId),
  );
  const [first] = won;
  holds(first !== undefined, "the claim won something");
  await store.reportAttempt(first.rolloutId, first.attempt.attemptId, { status: "succeeded" });
  const held = await store.dequeueManyRollouts({ limit: 3, requestId: "r" });
  equal(
    held.map(({ input }) => input),
    [1],
    "what is reported is held no more, and nothing new is claimed instead",
  );
  equal(await drain(store), [2]);
}

async function claimAtOnce({ store }: CaseContext): Promise<void> {
  await store.enqueueManyRollouts([{ input: 0 }, { input: 1 }, { input: 2 }]);
  const twins = await Promise.all([
    store.dequeueRollout({ requestId: "r" }),
    store.dequeueRollout({ requestId: "r" }),
    store.dequeueRollout({ requestId: "r" }),
  ]);
  equal(new Set(twins.map((rollout) => rollout?.attempt.attemptId)).size, 1);
  equal(await drain(store), [1, 2]);
}

async function reportAgain({ store }: CaseContext): Promise<void> {
  const config = { maxAttempts: 2, retryCondition: ["failed" as const] };
  const { rolloutId, attempt } = await enqueueAndClaim(store, { config });
  const report = { status: "failed" as const, error: "lost reply" };
  matches(await store.reportAttempt(rolloutId, attempt.attemptId, report), { status: "applied" });
  const second = await claim(store);
  matches(await store.reportAttempt(rolloutId, attempt.attemptId, report), { status: "applied" });
  matches(await store.getRolloutById(rolloutId), {
    status: "preparing",
    attempt: { attemptId: second.attempt.attemptId },
  });
  equal(await store.dequeueRollout(), undefined, "the repeat queues nothing");
}

async function releaseAgain({ store }: CaseContext): Promise<void> {
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  matches(await store.releaseAttempt(rolloutId, attempt.attemptId), { status: "applied" });
  matches(await store.releaseAttempt(rolloutId, attempt.attemptId), { status: "applied" });
  matches(await store.getRolloutById(rolloutId), { status: "requeuing", lostAttempts: 1 });
  equal((await drain(store)).length, 1);
}

async function spanAgain({ store }: CaseContext): Promise<void> {
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  const [first, second] = [spanOf(attempt), spanOf(attempt)];
  holds((await store.addSpan(first)) !== undefined, "the first is new");
  equal(await store.addSpan({ ...first, name: "other" }), undefined);
  equal(
    (await store.addManySpans([first, second, second])).map(({ spanId }) => spanId),
    [second.spanId],
  );
  const { items } = await store.querySpans(rolloutId);
  matches(items, [{ spanId: first.spanId, name: "step" }, { spanId: second.spanId }]);
  equal((await store.statistics()).totalSpans, 2);
}

async function resourcesAgain({ store }: CaseContext): Promise<void> {
  const first = await store.addResources(prompt, { idempotencyKey: "k" });
  const at = await Promise.all([1, 2, 3].map(() => store.addResources(prompt, { idempotencyKey: "k" })));
  equal(new Set(at.map(({ resourcesId }) => resourcesId)), new Set([first.resourcesId]));
  const { resourcesId } = first;
  const second = await store.updateResources(resourcesId, prompt, { idempotencyKey: "v2" });
  const again = await store.updateResources(resourcesId, prompt, { idempotencyKey: "v2" });
  equal([second.version, again.version], [2, 2]);
  equal((await store.queryResources()).total, 1);
}

export const idempotencyCases: readonly ConformanceCase[] = casesOf("idempotency", [
  ["an enqueue repeated with its key gives the rollout of the first, which waits once", enqueueOnce],
  ["ten enqueues with one key at once make one rollout", enqueueAtOnce],
  ["a key whose rollout has finished does its work no second time", enqueueAfterFinish],
  ["a start repeated with its key gives the attempt of the first; an enqueued rollout's key is a conflict", startOnce],
  ["an attempt started by hand with the key of the latest one is that one", startAttemptOnce],
  ["a claim repeated with its request id gives what it still holds, and never more", claimOnce],
  ["claims of one request at once win once", claimAtOnce],
  ["a report repeated after the retry was claimed is applied, and moves nothing", reportAgain],
  ["an attempt handed back twice is handed back once", releaseAgain],
  ["a span stored twice is stored once, as it came first", spanAgain],
  ["resources added or updated again with their key are not stored again", resourcesAgain],
]);
