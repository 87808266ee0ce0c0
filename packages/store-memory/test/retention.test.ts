import type { LightningStore } from "@agentlightning/core";
import { openMemoryStore } from "@agentlightning/store-memory";
import { expect, test } from "vitest";
import { claim, codeOf, openTestStore, span } from "./support.ts";

/** Starts a rollout, gives it one span of about `bytes`, and ends it unless told not to. */
async function run(store: LightningStore, { bytes = 10, isFinished = true } = {}): Promise<string> {
  const { rolloutId, attempt } = await store.startRollout({ input: null });
  await store.addSpan(span(attempt, { attributes: { text: "x".repeat(bytes) } }));
  if (isFinished) await store.reportAttempt(rolloutId, attempt.attemptId, { status: "succeeded" });
  return rolloutId;
}

test("finished rollouts over the bound go whole, oldest end first; statistics shrink; running ones stay", async () => {
  const { store } = openTestStore({ retention: { finishedRollouts: 2 } });
  const running = await run(store, { isFinished: false });
  const ids = [await run(store), await run(store), await run(store)];
  expect(await codeOf(store.getRolloutById(ids[0] ?? ""))).toBe("evicted");
  expect(await codeOf(store.querySpans(ids[0] ?? ""))).toBe("evicted");
  expect(await codeOf(store.addSpan(span({ rolloutId: ids[0] ?? "", attemptId: "at" })))).toBe("evicted");
  expect(await codeOf(store.waitForRollouts([ids[0] ?? ""]))).toBe("evicted");
  expect((await store.querySpans(running)).total).toBe(1);
  expect(await store.statistics()).toMatchObject({ totalRollouts: 3, totalAttempts: 3, totalSpans: 3 });
});

test("finished rollouts go when their time is over, without any new finish", async () => {
  const { store, runtime } = openTestStore({ retention: { finishedForMs: 1_000 } });
  const rolloutId = await run(store);
  await runtime.clock.advance(1_000);
  expect(await store.getRolloutById(rolloutId)).toMatchObject({ status: "succeeded" });
  await runtime.clock.advance(1);
  expect(await codeOf(store.getRolloutById(rolloutId))).toBe("evicted");
});

test("nothing is dropped before those who wait or watch have been told", async () => {
  const { store } = openTestStore({ retention: { finishedRollouts: 0 } });
  const queued = await store.enqueueManyRollouts([{ input: 1 }, { input: 2 }]);
  const ids = queued.map(({ rolloutId }) => rolloutId);
  const waiting = store.waitForRollouts(ids);
  const watcher = store.watchRollouts()[Symbol.asyncIterator]();
  await Promise.resolve();
  for (const id of ids) await store.updateRollout(id, { status: "succeeded" });
  expect((await waiting).map(({ status }) => status)).toEqual(["succeeded", "succeeded"]);
  expect((await watcher.next()).value).toMatchObject({ rolloutId: ids[0] });
  expect(await store.getRolloutById(ids[0] ?? "")).toMatchObject({ status: "succeeded" });
  await watcher.next();
  expect(await codeOf(store.getRolloutById(ids[0] ?? ""))).toBe("evicted");
  await watcher.return?.();
  expect(await codeOf(store.getRolloutById(ids[1] ?? ""))).toBe("evicted");
});

test("span bytes push out finished rollouts; when only unfinished ones are left, writes are refused", async () => {
  const { store } = openTestStore({ retention: { maxTotalSpanBytes: 3_000 } });
  const finished = await run(store, { bytes: 1_000 });
  const running = await run(store, { bytes: 1_000, isFinished: false });
  await run(store, { bytes: 1_000, isFinished: false });
  expect(await codeOf(store.getRolloutById(finished))).toBe("evicted");
  const { attempt } = await store.startRollout({ input: null });
  expect(await codeOf(store.addSpan(span(attempt, { attributes: { text: "x".repeat(1_000) } })))).toBe("store_full");
  expect((await store.querySpans(running)).total).toBe(1);
  expect((await store.statistics()).totalSpanBytes).toBeLessThanOrEqual(3_000);
});

test("a key whose rollout was dropped does not do its work again", async () => {
  const { store } = openTestStore({ retention: { finishedRollouts: 0 } });
  const { rolloutId } = await store.enqueueRollout({ input: null, idempotencyKey: "k" });
  await store.updateRollout(rolloutId, { status: "succeeded" });
  expect(await codeOf(store.enqueueRollout({ input: null, idempotencyKey: "k" }))).toBe("evicted");
});

test("a reopened rollout is not dropped while it runs", async () => {
  const { store } = openTestStore({ retention: { finishedRollouts: 1 } });
  const rolloutId = await run(store);
  await store.updateRollout(rolloutId, { status: "queuing" });
  await run(store);
  await run(store);
  expect(await claim(store)).toMatchObject({ rolloutId, attempt: { sequenceId: 2 } });
});

test.each([
  ["retention.finishedRollouts", { retention: { finishedRollouts: -1 } }],
  ["retention.finishedForMs", { retention: { finishedForMs: Number.NaN } }],
  ["maxTotalSpanBytes", { retention: { maxTotalSpanBytes: 0 } }],
  ["maxSpanBytes", { maxSpanBytes: 0 }],
  ["maxInputBytes", { maxInputBytes: -5 }],
])("a bound that makes no sense (%s) is refused when the store is opened", (name, options) => {
  expect(() => openMemoryStore(options)).toThrow(name);
});
