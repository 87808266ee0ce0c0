import { AbortedError, LightningError } from "@agentlightning/core";
import { createTestRuntime } from "@agentlightning/core/testing";
import { expect, test } from "vitest";
import { defineAgent, Runner } from "../src/index.ts";
import { eventually, gate, openStore, recordingLogger, startRunner, stored, withFaults } from "./support.ts";

const { logger } = recordingLogger();

/** An agent that ends when it is told to, and tells why it was. */
function obedient() {
  const started = gate();
  const reason = gate<unknown>();
  const agent = defineAgent(async (_, { signal }) => {
    started.resolve();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    reason.resolve(signal.reason);
    throw signal.reason;
  });
  return { agent, started: started.promise, reason: reason.promise };
}

test("timeoutMs aborts the agent, and the attempt ends as a timeout whatever the agent makes of it", async () => {
  const runtime = createTestRuntime();
  const store = openStore({ runtime });
  const { agent, started, reason } = obedient();
  const { rolloutId } = await store.enqueueRollout({ input: 1, config: { timeoutMs: 5_000 } });
  startRunner({ store, agent, runtime });
  await started;
  await runtime.clock.advance(5_001);
  expect(LightningError.isInstance(await reason, "timeout")).toBe(true);
  await store.waitForRollouts([rolloutId]);
  expect(await stored(store, rolloutId)).toMatchObject({ rollout: "failed", attempts: ["timeout"] });
});

test("an agent that ignores the abort is reported, and its slot takes the next rollout", async () => {
  const runtime = createTestRuntime();
  const store = openStore({ runtime });
  const started = gate();
  const second = gate();
  const agent = defineAgent<string>(async (task) => {
    if (task === "second") {
      second.resolve();
      return;
    }
    started.resolve();
    await new Promise(() => undefined);
  });
  const { rolloutId } = await store.enqueueRollout({ input: "first", config: { timeoutMs: 1_000 } });
  await store.enqueueRollout({ input: "second" });
  const { runner, running } = startRunner({ store, agent, runtime, settleMs: 500 });
  await started.promise;
  await runtime.clock.advance(1_600);
  await second.promise;
  expect((await store.getRolloutById(rolloutId))?.status).toBe("failed");
  await runner.stop();
  expect(await running).toMatchObject({ timedOut: 1, succeeded: 1, abandoned: 1 });
});

test("an agent silent for longer than unresponsiveMs is aborted; a heartbeat keeps it alive", async () => {
  const runtime = createTestRuntime();
  const store = openStore({ runtime });
  const started = gate();
  const reason = gate<unknown>();
  let heartbeat = (): void => undefined;
  const agent = defineAgent(async (_, context) => {
    heartbeat = context.heartbeat;
    started.resolve();
    await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
    reason.resolve(context.signal.reason);
  });
  const { rolloutId } = await store.enqueueRollout({ input: 1, config: { unresponsiveMs: 1_000 } });
  startRunner({ store, agent, runtime });
  await started.promise;
  for (let beat = 0; beat < 5; beat += 1) {
    await runtime.clock.advance(600);
    heartbeat();
  }
  expect((await store.getRolloutById(rolloutId))?.attempt?.endTimeMs).toBeUndefined();
  await runtime.clock.advance(1_100);
  expect(await reason.promise).toMatchObject({ code: "timeout", details: { reason: "unresponsive" } });
  await store.waitForRollouts([rolloutId]);
  expect(await stored(store, rolloutId)).toMatchObject({ rollout: "failed", attempts: ["unresponsive"] });
});

test("a cancelled rollout's agent is aborted at once, and the rollout stays cancelled", async () => {
  const store = openStore();
  const { agent, started, reason } = obedient();
  const { rolloutId } = await store.enqueueRollout({ input: 1 });
  const { runner, running } = startRunner({ store, agent });
  await started;
  await store.updateRollout(rolloutId, { status: "cancelled" });
  expect(await reason).toMatchObject({ code: "aborted", details: { reason: "cancelled", rolloutId } });
  await runner.stop();
  expect(await running).toMatchObject({ cancelled: 1, failed: 0 });
  expect(await stored(store, rolloutId)).toMatchObject({ rollout: "cancelled", endReason: "cancelled" });
});

test("a runner without a change feed learns of a cancel at its next renewal", async () => {
  const runtime = createTestRuntime();
  const inner = openStore({ runtime });
  const store = withFaults(inner, {
    watchRollouts: () => {
      throw new LightningError({ code: "unsupported", message: "no feed" });
    },
  });
  const { agent, started, reason } = obedient();
  const { rolloutId } = await inner.enqueueRollout({ input: 1 });
  startRunner({ store, agent, runtime, leaseMs: 3_000 });
  await started;
  await inner.updateRollout(rolloutId, { status: "cancelled" });
  await runtime.clock.advance(1_001);
  expect(await reason).toMatchObject({ code: "aborted", details: { reason: "cancelled" } });
});

test("stop lets running agents finish within the grace period", async () => {
  const store = openStore();
  const started = gate();
  const release = gate();
  const agent = defineAgent(async () => {
    started.resolve();
    await release.promise;
    return 1;
  });
  const { rolloutId } = await store.enqueueRollout({ input: 1 });
  const { runner, running } = startRunner({ store, agent, graceMs: 60_000 });
  await started.promise;
  const stopping = runner.stop();
  release.resolve();
  await stopping;
  expect(await running).toMatchObject({ succeeded: 1, released: 0 });
  expect(await stored(store, rolloutId)).toMatchObject({ rollout: "succeeded", reward: 1 });
});

test("after the grace period agents are aborted and their rollouts go back to the head of the queue, uncounted", async () => {
  const runtime = createTestRuntime();
  const store = openStore({ runtime });
  const { agent, started, reason } = obedient();
  const { rolloutId } = await store.enqueueRollout({ input: "first", config: { maxAttempts: 1 } });
  await store.enqueueRollout({ input: "second" });
  const stop = new AbortController();
  const runner = new Runner({ store, agent, runtime, graceMs: 500, logger });
  const running = runner.run({ signal: stop.signal });
  await started;
  stop.abort();
  await runtime.clock.advance(501);
  expect(await reason).toMatchObject({ code: "aborted", details: { reason: "shutdown" } });
  expect(await running).toMatchObject({ released: 1, failed: 0, attempts: 1 });
  expect(await stored(store, rolloutId)).toMatchObject({
    rollout: "requeuing",
    attempts: ["unresponsive"],
    endReason: "released",
  });
  expect((await store.dequeueRollout())?.rolloutId).toBe(rolloutId);
});

test("a claim that arrives while the runner stops is handed back, and the agent never runs", async () => {
  const inner = openStore();
  const claimed = gate();
  const deliver = gate();
  const store = withFaults(inner, {
    dequeueRollout: async (options) => {
      const claim = await inner.dequeueRollout({ ...options, signal: undefined });
      claimed.resolve();
      await deliver.promise;
      return claim;
    },
  });
  let ran = false;
  const agent = defineAgent(() => {
    ran = true;
  });
  const { rolloutId } = await inner.enqueueRollout({ input: 1 });
  const { runner, running } = startRunner({ store, agent });
  await claimed.promise;
  const stopping = runner.stop();
  deliver.resolve();
  await stopping;
  expect(await running).toMatchObject({ released: 1, attempts: 1 });
  expect(ran).toBe(false);
  expect(await stored(inner, rolloutId)).toMatchObject({ rollout: "requeuing", attempts: ["unresponsive"] });
});

test("a claim that the store answers after the runner has gone is handed back too", async () => {
  const runtime = createTestRuntime();
  const inner = openStore({ runtime });
  const claimed = gate();
  const deliver = gate();
  const store = withFaults(inner, {
    dequeueRollout: async (options) => {
      const claim = await inner.dequeueRollout({ ...options, signal: undefined });
      claimed.resolve();
      await deliver.promise;
      return claim;
    },
  });
  const { rolloutId } = await inner.enqueueRollout({ input: 1 });
  const { runner } = startRunner({ store, agent: defineAgent(() => 1), runtime, flushTimeoutMs: 1_000 });
  await claimed.promise;
  const stopping = runner.stop();
  await runtime.clock.advance(1_001);
  await stopping;
  deliver.resolve();
  await eventually(async () => (await inner.getRolloutById(rolloutId))?.status).toBe("requeuing");
  expect(await inner.getLatestAttempt(rolloutId)).toMatchObject({ status: "unresponsive", endReason: "released" });
});

test("stop is bounded while every rollout fails and is queued again", async () => {
  const store = openStore();
  let runs = 0;
  const agent = defineAgent(() => {
    runs += 1;
    throw new Error("again");
  });
  await store.enqueueRollout({ input: 1, config: { maxAttempts: 1_000_000, retryCondition: ["failed"] } });
  const { runner } = startRunner({ store, agent });
  await eventually(() => runs).toBeGreaterThan(3);
  await runner.stop();
  const runsAtStop = runs;
  await new Promise(setImmediate);
  expect(runs).toBe(runsAtStop);
});

test("stop is bounded while the store is away and a claim waits for its next try", async () => {
  const runtime = createTestRuntime();
  let calls = 0;
  const store = withFaults(openStore({ runtime }), {
    dequeueRollout: () => {
      calls += 1;
      return Promise.reject(new LightningError({ code: "unavailable", message: "away" }));
    },
  });
  const { runner, running } = startRunner({ store, agent: defineAgent(() => 1), runtime });
  await eventually(() => calls).toBe(1);
  await runner.stop();
  expect(await running).toMatchObject({ attempts: 0 });
  expect(calls).toBe(1);
});

test("stop is bounded when the store takes no report any more", async () => {
  const runtime = createTestRuntime();
  const inner = openStore({ runtime });
  const hang = new Promise<never>(() => undefined);
  const store = withFaults(inner, { releaseAttempt: () => hang, reportAttempt: () => hang });
  const { agent, started } = obedient();
  await inner.enqueueRollout({ input: 1 });
  const { runner, running } = startRunner({ store, agent, runtime, settleMs: 1_000, flushTimeoutMs: 1_000 });
  await started;
  const stopping = runner.stop();
  await runtime.clock.advance(6_000);
  await stopping;
  expect(await running).toMatchObject({ unreported: 1 });
});

test("a signal that has aborted already means no claim at all", async () => {
  const store = openStore();
  await store.enqueueRollout({ input: 1 });
  const runner = new Runner({ store, agent: defineAgent(() => 1), logger });
  expect(await runner.run({ signal: AbortSignal.abort() })).toMatchObject({ attempts: 0 });
  expect((await store.statistics()).queuedRollouts).toBe(1);
});

test("an agent's abort reason is an AbortedError of ours", async () => {
  const store = openStore();
  const { agent, started, reason } = obedient();
  await store.enqueueRollout({ input: 1 });
  const { runner } = startRunner({ store, agent });
  await started;
  await runner.stop();
  expect(await reason).toBeInstanceOf(AbortedError);
});
