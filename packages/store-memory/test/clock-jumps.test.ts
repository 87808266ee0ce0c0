import type { Runtime } from "@agentlightning/core";
import { createTestRuntime } from "@agentlightning/core/testing";
import { openMemoryStore } from "@agentlightning/store-memory";
import { expect, test } from "vitest";

/** A store on a machine whose wall clock can be set, with an attempt that is leased for ten seconds. */
async function leased() {
  const { clock, ...rest } = createTestRuntime();
  let aheadMs = 0;
  const runtime: Runtime = {
    ...rest,
    clock: {
      nowMs: () => clock.nowMs() + aheadMs,
      monotonicMs: () => clock.monotonicMs(),
      setTimer: (callback, delayMs) => clock.setTimer(callback, delayMs),
    },
  };
  const store = openMemoryStore({ runtime });
  const { rolloutId } = await store.enqueueRollout({ input: null });
  const claimed = await store.dequeueRollout({ leaseMs: 10_000 });
  return {
    store,
    clock,
    rolloutId,
    attemptId: claimed?.attempt.attemptId ?? "",
    setWallClock: (ms: number) => {
      aheadMs = ms;
    },
  };
}

const hourMs = 3_600_000;

test("a wall clock that jumps ahead ends no attempt whose runner renews its lease", async () => {
  const { store, clock, rolloutId, attemptId, setWallClock } = await leased();
  setWallClock(hourMs);
  expect(await store.getRolloutById(rolloutId)).toMatchObject({ status: "preparing" });
  await clock.advance(5_000);
  expect(await store.renewLease(rolloutId, attemptId, { leaseMs: 60_000 })).toMatchObject({ status: "held" });
  await clock.advance(50_000);
  expect(await store.getRolloutById(rolloutId)).toMatchObject({ status: "preparing", lostAttempts: 0 });
});

test("after such a jump an attempt that nobody renews is ended once a lease has passed", async () => {
  const { store, clock, rolloutId, setWallClock } = await leased();
  setWallClock(hourMs);
  expect(await store.getRolloutById(rolloutId)).toMatchObject({ status: "preparing" });
  await clock.advance(29_000);
  expect(await store.getRolloutById(rolloutId)).toMatchObject({ status: "preparing" });
  await clock.advance(2_000);
  expect(await store.getRolloutById(rolloutId)).toMatchObject({ status: "requeuing", lostAttempts: 1 });
});

test("a wall clock that goes at the pace of time ends an attempt at its deadline", async () => {
  const { store, clock, rolloutId } = await leased();
  await clock.advance(10_001);
  expect(await store.getRolloutById(rolloutId)).toMatchObject({ status: "requeuing" });
});
