import type { RolloutEvent } from "@agentlightning/core";
import { expect, test } from "vitest";
import { claim, codeOf, openTestStore } from "./support.ts";

test("a wait sees rollouts that finish before, during and right after the call, each once and in input order", async () => {
  const { store } = openTestStore();
  const [a, b, c] = await store.enqueueManyRollouts([{ input: "a" }, { input: "b" }, { input: "c" }]);
  const ids = [c, a, b, a].map((rollout) => rollout?.rolloutId ?? "");
  await store.updateRollout(a?.rolloutId ?? "", { status: "succeeded" });
  const waiting = store.waitForRollouts([...ids, "ro-unknown"]);
  void store.updateRollout(b?.rolloutId ?? "", { status: "failed" });
  await store.updateRollout(c?.rolloutId ?? "", { status: "cancelled" });
  expect((await waiting).map(({ input, status }) => [input, status])).toEqual([
    ["c", "cancelled"],
    ["a", "succeeded"],
    ["b", "failed"],
  ]);
});

test("an empty list, unknown ids and a timeout of zero answer at once", async () => {
  const { store } = openTestStore();
  const { rolloutId } = await store.enqueueRollout({ input: null });
  expect(await store.waitForRollouts([])).toEqual([]);
  expect(await store.waitForRollouts(["ro-unknown"])).toEqual([]);
  expect(await store.waitForRollouts([rolloutId], { timeoutMs: 0 })).toEqual([]);
  expect(await codeOf(store.waitForRollouts([rolloutId], { timeoutMs: -1 }))).toBe("invalid_input");
});

test("a wait that runs out of time gives those that finished", async () => {
  const { store, runtime } = openTestStore();
  const [a, b] = await store.enqueueManyRollouts([{ input: "a" }, { input: "b" }]);
  const waiting = store.waitForRollouts([a?.rolloutId ?? "", b?.rolloutId ?? ""], { timeoutMs: 50 });
  await store.updateRollout(b?.rolloutId ?? "", { status: "succeeded" });
  await runtime.clock.advance(50);
  expect((await waiting).map(({ input }) => input)).toEqual(["b"]);
});

test("an aborted wait is an aborted error with the signal's reason", async () => {
  const { store } = openTestStore();
  const { rolloutId } = await store.enqueueRollout({ input: null });
  const controller = new AbortController();
  const waiting = store.waitForRollouts([rolloutId], { signal: controller.signal });
  const reason = new Error("enough");
  controller.abort(reason);
  await expect(waiting).rejects.toMatchObject({ code: "aborted", cause: reason });
  expect(await codeOf(store.waitForRollouts([rolloutId], { signal: controller.signal }))).toBe("aborted");
});

test("a wait on a rollout that was reopened goes on until it finishes again", async () => {
  const { store } = openTestStore();
  const { rolloutId } = await store.enqueueRollout({ input: null });
  await store.updateRollout(rolloutId, { status: "failed" });
  await store.updateRollout(rolloutId, { status: "queuing" });
  const waiting = store.waitForRollouts([rolloutId]);
  const { attempt } = await claim(store);
  await store.reportAttempt(rolloutId, attempt.attemptId, { status: "succeeded" });
  expect((await waiting).map(({ status }) => status)).toEqual(["succeeded"]);
});

test("a wait ends by itself when the only runner died and nobody calls the store", async () => {
  const { store, runtime } = openTestStore();
  const { rolloutId } = await store.enqueueRollout({ input: null, config: { timeoutMs: 1_000 } });
  await claim(store);
  const waiting = store.waitForRollouts([rolloutId]);
  await runtime.clock.advance(1_001);
  expect((await waiting).map(({ status, attempt }) => [status, attempt?.status])).toEqual([["failed", "timeout"]]);
});

test("a watcher sees every change of status from its call on, in order, and may go on after a cursor", async () => {
  const { store } = openTestStore();
  const { rolloutId } = await store.enqueueRollout({ input: null });
  const controller = new AbortController();
  const events: RolloutEvent[] = [];
  const watcher = store.watchRollouts({ signal: controller.signal });
  const { attempt } = await claim(store);
  await store.reportAttempt(rolloutId, attempt.attemptId, { status: "succeeded" });
  for await (const event of watcher) {
    events.push(event);
    if (event.status === "succeeded") controller.abort();
  }
  expect(events.map(({ status, attemptId }) => [status, attemptId])).toEqual([
    ["preparing", attempt.attemptId],
    ["succeeded", attempt.attemptId],
  ]);
  const again = store.watchRollouts({ since: events[0]?.cursor })[Symbol.asyncIterator]();
  expect(await again.next()).toEqual({ done: false, value: events[1] });
  expect(() => store.watchRollouts({ since: "999" })).toThrow("no cursor");
});

test("a watcher that stops reading is told that it missed something, rather than keeping everything", async () => {
  const { store } = openTestStore();
  const watcher = store.watchRollouts()[Symbol.asyncIterator]();
  await store.enqueueManyRollouts(Array.from({ length: 10_001 }, () => ({ input: null })));
  expect(await codeOf(watcher.next())).toBe("evicted");
  expect(await watcher.next()).toEqual({ done: true, value: undefined });
});

test("a cursor of events that are no longer kept is told so", async () => {
  const { store } = openTestStore();
  await store.enqueueManyRollouts(Array.from({ length: 20_001 }, () => ({ input: null })));
  expect(() => store.watchRollouts({ since: "1" })).toThrow("no longer kept");
});

test("several calls of next at once each get their own event", async () => {
  const { store } = openTestStore();
  const watcher = store.watchRollouts()[Symbol.asyncIterator]();
  const both = Promise.all([watcher.next(), watcher.next()]);
  await store.enqueueManyRollouts([{ input: 1 }, { input: 2 }]);
  expect((await both).map(({ value }) => (value as RolloutEvent).cursor)).toEqual(["1", "2"]);
});
