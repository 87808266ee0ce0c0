import { expect, test } from "vitest";
import { createIdGenerator } from "./index.ts";
import { createManualClock, createTestRuntime } from "./testing/index.ts";

test("ids have the reference's prefixes and only lower-case hex digits", () => {
  const ids = createIdGenerator();
  expect(ids.rolloutId()).toMatch(/^ro-[0-9a-f]{20}$/);
  expect(ids.attemptId()).toMatch(/^at-[0-9a-f]{16}$/);
  expect(ids.resourcesId()).toMatch(/^rs-[0-9a-f]{16}$/);
  expect(ids.traceId()).toMatch(/^[0-9a-f]{32}$/);
  expect(ids.spanId()).toMatch(/^[0-9a-f]{16}$/);
});

test("a hundred thousand ids are all different", () => {
  const ids = createIdGenerator();
  expect(new Set(Array.from({ length: 100_000 }, () => ids.attemptId())).size).toBe(100_000);
});

test("the same seed gives the same ids", () => {
  expect(createTestRuntime({ seed: 7 }).ids.rolloutId()).toBe(createTestRuntime({ seed: 7 }).ids.rolloutId());
  expect(createTestRuntime({ seed: 7 }).ids.rolloutId()).not.toBe(createTestRuntime({ seed: 8 }).ids.rolloutId());
});

test("a manual clock fires timers in order, and those that timers set", async () => {
  const clock = createManualClock(0);
  const fired: string[] = [];
  clock.setTimer(() => fired.push(`b at ${clock.nowMs()}`), 20);
  clock.setTimer(() => {
    fired.push(`a at ${clock.nowMs()}`);
    clock.setTimer(() => fired.push(`c at ${clock.nowMs()}`), 15);
  }, 10);
  clock.setTimer(() => fired.push("never"), 5).cancel();
  await clock.advance(30);
  expect([fired, clock.nowMs()]).toEqual([["a at 10", "b at 20", "c at 25"], 30]);
});
