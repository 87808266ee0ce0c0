import { enqueueAndClaim, spanOf } from "../arrange.ts";
import { type CaseContext, casesOf, type ConformanceCase } from "../case.ts";
import { equal, matches, refuses } from "../check.ts";

const emptyStatistics = { totalRollouts: 0, totalAttempts: 0, totalSpans: 0, totalResources: 0, totalWorkers: 0 };

async function largeInput({ store, capabilities }: CaseContext): Promise<void> {
  const over = "x".repeat(capabilities.maxInputBytes + 1);
  await refuses(store.enqueueRollout({ input: over }), "too_large");
  await refuses(store.startRollout({ input: { text: over } }), "too_large");
  await refuses(store.enqueueManyRollouts([{ input: "small" }, { input: over }]), "too_large");
  matches(await store.statistics(), emptyStatistics, "nothing of a refused call is stored");
  equal(await store.dequeueRollout(), undefined);
}

async function inputWithinBounds({ store, capabilities }: CaseContext): Promise<void> {
  const input = { text: "é".repeat(Math.floor(capabilities.maxInputBytes / 16)) };
  const { rolloutId } = await store.enqueueRollout({ input });
  equal((await store.getRolloutById(rolloutId))?.input, input);
  equal((await store.dequeueRollout())?.input, input);
}

async function largeSpan({ store, capabilities }: CaseContext): Promise<void> {
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  const over = spanOf(attempt, { attributes: { text: "x".repeat(capabilities.maxSpanBytes + 1) } });
  await refuses(store.addSpan(over), "too_large");
  await refuses(store.addManySpans([spanOf(attempt), over]), "too_large");
  equal((await store.querySpans(rolloutId)).total, 0, "a batch is stored whole or not at all");
  matches(await store.getLatestAttempt(rolloutId), { status: "preparing", lastHeartbeatTimeMs: undefined });
}

async function largeMetadata({ store }: CaseContext): Promise<void> {
  const metadata = { text: "x".repeat(70_000) };
  await refuses(store.enqueueRollout({ input: null, metadata }), "too_large");
  const { rolloutId, attempt } = await enqueueAndClaim(store, { metadata: { kept: true } });
  await refuses(store.updateRollout(rolloutId, { metadata }), "too_large");
  await refuses(store.updateAttempt(rolloutId, attempt.attemptId, { status: "failed", metadata }), "too_large");
  matches(await store.getRolloutById(rolloutId), {
    status: "preparing",
    metadata: { kept: true },
    attempt: { status: "preparing" },
  });
}

async function manyAttempts({ store }: CaseContext): Promise<void> {
  const { rolloutId } = await store.enqueueRollout({ input: null });
  for (let count = 0; count < 1_000; count += 1) await store.startAttempt(rolloutId);
  await refuses(store.startAttempt(rolloutId), "attempt_limit");
  await store.updateRollout(rolloutId, { status: "failed" });
  await refuses(store.updateRollout(rolloutId, { status: "queuing" }), "attempt_limit");
  equal((await store.queryAttempts(rolloutId, { limit: 0 })).total, 1_000);
}

async function wrongArguments({ store }: CaseContext): Promise<void> {
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  const before = await store.getRolloutById(rolloutId);
  const calls: readonly (() => Promise<unknown>)[] = [
    () => store.enqueueRollout({ input: null, config: { maxAttempts: 0 } }),
    () => store.enqueueRollout({ input: null, config: { timeoutMs: -1 } }),
    () => store.enqueueRollout({ input: null, idempotencyKey: "" }),
    () => store.enqueueRollout({ input: 1n as never }),
    () => store.dequeueRollout({ workerId: "" }),
    () => store.dequeueRollout({ leaseMs: 0 }),
    () => store.dequeueRollout({ waitMs: Number.NaN }),
    () => store.updateRollout(rolloutId, { status: "done" as never }),
    () => store.updateAttempt(rolloutId, attempt.attemptId, { status: "ended" as never }),
    () => store.reportAttempt(rolloutId, attempt.attemptId, { status: "running" as never }),
    () => store.renewLease(rolloutId, attempt.attemptId, { leaseMs: Number.POSITIVE_INFINITY }),
    () => store.addSpan({ ...spanOf(attempt), spanId: "" }),
    () => store.addSpan({ ...spanOf(attempt), sequenceId: 0.5 }),
    () => store.querySpans(rolloutId, { limit: -2 }),
    () => store.queryRollouts({ sortBy: "config" as never }),
    () => store.queryRollouts({ offset: -1 }),
    () => store.waitForRollouts([rolloutId], { timeoutMs: -1 }),
    () => store.updateWorker(""),
    () => store.updateWorker("w", { heartbeatStats: null as never }),
  ];
  for (const call of calls) await refuses(call(), "invalid_input");
  equal(await store.getRolloutById(rolloutId), before, "a refused call changes nothing");
  equal([(await store.statistics()).totalRollouts, (await store.queryWorkers()).total], [1, 0]);
}

async function strangeIds({ store }: CaseContext): Promise<void> {
  const ids = [
    "__proto__",
    "constructor",
    "toString",
    "a/b?c=%2F",
    "' OR 1=1 --",
    "$where",
    "a.b",
    "ключ 🔑",
    "x".repeat(2_000),
  ];
  for (const id of ids) {
    equal(await store.getRolloutById(id), undefined, id);
    equal((await store.querySpans(id)).total, 0, id);
    equal(await store.getResourcesById(id), undefined, id);
    equal(await store.getWorkerById(id), undefined, id);
    equal(await store.waitForRollouts([id], { timeoutMs: 0 }), [], id);
    await refuses(store.updateRollout(id, { mode: "train" }), "rollout_not_found");
  }
}

async function strangeIdsStored({ store }: CaseContext): Promise<void> {
  const workers = ["__proto__", "constructor", "a/b?c=%2F", "' OR 1=1 --", "$where", "a.b", "ключ 🔑"];
  for (const workerId of workers) await store.updateWorker(workerId, { heartbeatStats: { of: workerId } });
  equal(
    (await store.queryWorkers()).items.map(({ workerId }) => workerId),
    workers,
  );
  for (const workerId of workers) matches(await store.getWorkerById(workerId), { heartbeatStats: { of: workerId } });
  for (const resourcesId of workers) await store.updateResources(resourcesId, {});
  for (const resourcesId of workers) matches(await store.getResourcesById(resourcesId), { resourcesId, version: 1 });
}

export const limitsCases: readonly ConformanceCase[] = casesOf("limits", [
  ["an input over the bound is refused, and nothing of the call is stored", largeInput],
  ["an input near the bound comes back whole", inputWithinBounds],
  ["a span over the bound is refused, and the batch with it", largeSpan],
  ["metadata over 64 kB are refused, and nothing moves", largeMetadata],
  ["a rollout takes a thousand attempts and no more", manyAttempts],
  ["a wrong argument is refused at the door, and changes nothing", wrongArguments],
  ["an id that looks like code, a path or an object's own part is only an unknown id", strangeIds],
  ["worker and resources ids of any characters are kept apart", strangeIdsStored],
]);
