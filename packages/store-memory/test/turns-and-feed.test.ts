import { expect, test } from "vitest";
import { codeOf, openTestStore } from "./support.ts";

test("a waiting claim is served within the turn of the enqueue, before any timer or event", async () => {
  const { store } = openTestStore();
  let isServed = false;
  const waiting = store.dequeueRollout({ waitMs: 60_000 }).then((rollout) => {
    isServed = true;
    return rollout?.input;
  });
  await new Promise((resolve) => setImmediate(resolve));
  let isNextTurn = false;
  const turn = new Promise<void>((resolve) => {
    setImmediate(() => {
      isNextTurn = isServed;
      resolve();
    });
  });
  void store.enqueueRollout({ input: "now" });
  await turn;
  expect([isNextTurn, await waiting]).toEqual([true, "now"]);
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
