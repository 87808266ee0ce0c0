import { LightningError } from "@agentlightning/core";
import { createTestRuntime } from "@agentlightning/core/testing";
import { expect, test } from "vitest";
import { defineAgent } from "../src/index.ts";
import { gate, openStore, startRunner, stored, withFaults } from "./support.ts";

function waiting() {
  const started = gate();
  const release = gate();
  const reason = gate<unknown>();
  const agent = defineAgent(async (_, { signal }) => {
    signal.addEventListener("abort", () => reason.resolve(signal.reason));
    started.resolve();
    await release.promise;
    return 1;
  });
  return { agent, started: started.promise, release: release.resolve, reason: reason.promise };
}

test("a healthy agent that is silent for many leases keeps its rollout", async () => {
  const runtime = createTestRuntime();
  const store = openStore({ runtime });
  const { agent, started, release } = waiting();
  const { rolloutId } = await store.enqueueRollout({ input: 1 });
  startRunner({ store, agent, runtime, leaseMs: 3_000 });
  await started;
  await runtime.clock.advance(60_000);
  release();
  await store.waitForRollouts([rolloutId]);
  expect(await stored(store, rolloutId)).toMatchObject({ rollout: "succeeded", attempts: ["succeeded"], reward: 1 });
});

test("one lost renewal is harmless", async () => {
  const runtime = createTestRuntime();
  const inner = openStore({ runtime });
  let renewals = 0;
  const store = withFaults(inner, {
    renewLease: (...args) => {
      renewals += 1;
      if (renewals === 2) return Promise.reject(new LightningError({ code: "unavailable", message: "away" }));
      return inner.renewLease(...args);
    },
  });
  const { agent, started, release } = waiting();
  const { rolloutId } = await inner.enqueueRollout({ input: 1 });
  startRunner({ store, agent, runtime, leaseMs: 3_000 });
  await started;
  await runtime.clock.advance(9_000);
  release();
  await inner.waitForRollouts([rolloutId]);
  expect(await stored(inner, rolloutId)).toMatchObject({ rollout: "succeeded", attempts: ["succeeded"] });
});

test("renewals end with the attempt", async () => {
  const runtime = createTestRuntime();
  const inner = openStore({ runtime });
  let renewals = 0;
  const store = withFaults(inner, {
    renewLease: (...args) => {
      renewals += 1;
      return inner.renewLease(...args);
    },
  });
  const { rolloutId } = await inner.enqueueRollout({ input: 1 });
  startRunner({
    store,
    agent: defineAgent(() => {
      throw new Error("at once");
    }),
    runtime,
    leaseMs: 3_000,
  });
  await inner.waitForRollouts([rolloutId]);
  await new Promise(setImmediate);
  await runtime.clock.advance(60_000);
  expect(renewals).toBe(0);
});

test("a runner whose rollout was given to another aborts its agent, and its late report changes nothing", async () => {
  const runtime = createTestRuntime();
  const inner = openStore({ runtime });
  const cut = withFaults(inner, {
    renewLease: () => Promise.reject(new LightningError({ code: "unavailable", message: "cut off" })),
  });
  const slow = waiting();
  const { rolloutId } = await inner.enqueueRollout({ input: 1 });
  const first = startRunner({ store: cut, agent: slow.agent, runtime, leaseMs: 3_000, settleMs: 60_000 });
  await slow.started;
  await runtime.clock.advance(3_500);
  startRunner({ store: inner, agent: defineAgent(() => 0.25), runtime });
  await inner.waitForRollouts([rolloutId]);
  slow.release();
  expect(await slow.reason).toMatchObject({ code: "aborted", details: { reason: "lost" } });
  await first.runner.stop();
  expect(await first.running).toMatchObject({ lost: 1, succeeded: 0 });
  expect(await stored(inner, rolloutId)).toMatchObject({
    rollout: "succeeded",
    attempts: ["unresponsive", "succeeded"],
    reward: 0.25,
  });
});

test("an event loop that stood still for longer than maxBlockedMs gives the lease up, and says so", async () => {
  const runtime = createTestRuntime();
  const store = openStore({ runtime });
  const slow = waiting();
  await store.enqueueRollout({ input: 1 });
  let jumpMs = 0;
  const clock = { ...runtime.clock, monotonicMs: () => runtime.clock.monotonicMs() + jumpMs };
  const lines: string[] = [];
  const say = (message: string) => void lines.push(message);
  startRunner({
    store,
    agent: slow.agent,
    runtime: { ...runtime, clock },
    logger: { debug: say, info: say, warn: say, error: say },
    leaseMs: 3_000,
    maxBlockedMs: 10_000,
  });
  await slow.started;
  jumpMs = 11_000;
  await runtime.clock.advance(1_001);
  expect(await slow.reason).toMatchObject({ details: { reason: "lost", lostReason: "event_loop_blocked" } });
  expect(lines).toContain("the event loop was blocked for 11000 ms; the lease was not renewed");
});

test("a runner warns once that a rollout has no bound", async () => {
  const store = openStore();
  const lines: string[] = [];
  const say = (message: string) => void lines.push(message);
  const rollouts = await store.enqueueManyRollouts([1, 2, 3].map((input) => ({ input })));
  startRunner({ store, agent: defineAgent(() => 1), logger: { debug: say, info: say, warn: say, error: say } });
  await store.waitForRollouts(rollouts.map(({ rolloutId }) => rolloutId));
  expect(lines.filter((line) => line.includes("neither timeoutMs nor unresponsiveMs"))).toHaveLength(1);
});
