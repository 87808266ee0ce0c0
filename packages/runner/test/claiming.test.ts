import { LightningError } from "@agentlightning/core";
import { createTestRuntime } from "@agentlightning/core/testing";
import { expect, test } from "vitest";
import { defineAgent, Runner } from "../src/index.ts";
import { eventually, gate, openStore, recordingLogger, startRunner, stored, withFaults } from "./support.ts";

test("an idle runner is woken by an enqueue", async () => {
  const store = openStore();
  const ran = gate<number>();
  startRunner({ store, agent: defineAgent<number>((task) => ran.resolve(task)) });
  await store.enqueueRollout({ input: 7 });
  expect(await ran.promise).toBe(7);
});

test("a runner claims no more than it can start, so that a second runner gets the rest", async () => {
  const store = openStore();
  const release = gate();
  const started: string[] = [];
  const four = gate();
  const agent = (name: string) =>
    defineAgent<number>(async (task) => {
      started.push(`${name} ${task}`);
      if (started.length === 4) four.resolve();
      await release.promise;
    });
  const rollouts = await store.enqueueManyRollouts([0, 1, 2, 3, 4].map((input) => ({ input })));
  const first = startRunner({ store, agent: agent("first"), concurrency: 2, runnerId: "first" });
  await eventually(() => started.length).toBe(2);
  startRunner({ store, agent: agent("second"), concurrency: 2, runnerId: "second" });
  await four.promise;
  expect(started).toEqual(["first 0", "first 1", "second 2", "second 3"]);
  expect((await store.statistics()).queuedRollouts).toBe(1);
  release.resolve();
  await store.waitForRollouts(rollouts.map(({ rolloutId }) => rolloutId));
  await first.runner.stop();
  expect((await first.running).succeeded).toBeGreaterThanOrEqual(2);
});

test("each slot is a worker of its own", async () => {
  const store = openStore();
  const { runner } = startRunner({ store, agent: defineAgent(() => 1), concurrency: 3, runnerId: "box" });
  await eventually(async () => (await store.queryWorkers()).total).toBe(3);
  await runner.stop();
  expect((await store.queryWorkers({ sortBy: "workerId" })).items.map((worker) => worker.workerId)).toEqual([
    "box-0",
    "box-1",
    "box-2",
  ]);
});

test("never more agents at once than slots, with retries too", async () => {
  const store = openStore();
  let running = 0;
  let most = 0;
  const agent = defineAgent<number>(async (task, { attempt }) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    if (attempt.sequenceId === 1 && task % 2 === 0) throw new Error("once more");
  });
  const rollouts = await store.enqueueManyRollouts(
    Array.from({ length: 30 }, (_, input) => ({
      input,
      config: { maxAttempts: 2, retryCondition: ["failed" as const] },
    })),
  );
  startRunner({ store, agent, concurrency: 3 });
  const finished = await store.waitForRollouts(rollouts.map(({ rolloutId }) => rolloutId));
  expect(finished.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => "succeeded"));
  expect(most).toBe(3);
});

test("maxRollouts ends the runner after that many claims", async () => {
  const store = openStore();
  await store.enqueueManyRollouts([1, 2, 3].map((input) => ({ input })));
  const runner = new Runner({
    store,
    agent: defineAgent(() => 1),
    concurrency: 2,
    maxRollouts: 2,
    logger: recordingLogger().logger,
  });
  expect(await runner.run()).toMatchObject({ attempts: 2, succeeded: 2 });
  expect((await store.statistics()).queuedRollouts).toBe(1);
});

test("a rollout that always fails at once is tried maxAttempts times, and no more", async () => {
  const store = openStore();
  let runs = 0;
  const agent = defineAgent(() => {
    runs += 1;
    throw new Error("wrong configuration");
  });
  const { rolloutId } = await store.enqueueRollout({
    input: 1,
    config: { maxAttempts: 3, retryCondition: ["failed"] },
  });
  startRunner({ store, agent, concurrency: 2 });
  await store.waitForRollouts([rolloutId]);
  expect(runs).toBe(3);
  expect(await stored(store, rolloutId)).toMatchObject({
    rollout: "failed",
    attempts: ["failed", "failed", "failed"],
    error: "Error: wrong configuration",
  });
});

test("a store that is away for a while is waited for, with growing pauses, and then served", async () => {
  const runtime = createTestRuntime();
  const inner = openStore({ runtime });
  let calls = 0;
  const store = withFaults(inner, {
    dequeueRollout: async (options) => {
      calls += 1;
      if (calls <= 5) throw new LightningError({ code: "unavailable", message: "away" });
      return inner.dequeueRollout(options);
    },
  });
  const ran = gate();
  const { logger, lines } = recordingLogger();
  startRunner({ store, agent: defineAgent(() => ran.resolve()), runtime, logger });
  await inner.enqueueRollout({ input: 1 });
  await eventually(() => calls).toBe(1);
  await runtime.clock.advance(10_000);
  await ran.promise;
  const delays = lines
    .filter((line) => line.includes("claiming failed"))
    .map((line) => Number(/in (\d+) ms/.exec(line)?.[1]));
  expect(delays).toHaveLength(5);
  expect(delays.at(-1)).toBeGreaterThan((delays[0] ?? 0) * 4);
});

test("a store that stays away ends the run with its error after storeOutageMs", async () => {
  const runtime = createTestRuntime();
  const away = new LightningError({ code: "unavailable", message: "store.example:4747 refused the connection" });
  let calls = 0;
  const store = withFaults(openStore({ runtime }), {
    dequeueRollout: () => {
      calls += 1;
      return Promise.reject(away);
    },
  });
  const { running } = startRunner({
    store,
    agent: defineAgent(() => 1),
    runtime,
    concurrency: 2,
    storeOutageMs: 3_000,
  });
  const outcome = running.catch((error: unknown) => error);
  await eventually(() => calls).toBe(2);
  await runtime.clock.advance(3_001);
  expect(await outcome).toBe(away);
});

test("a closed store ends the run at once", async () => {
  const store = openStore();
  await store.close();
  const runner = new Runner({ store, agent: defineAgent(() => 1), logger: recordingLogger().logger });
  await expect(runner.run()).rejects.toMatchObject({ code: "closed" });
});

test("a store that answers without waiting is not asked in a hot loop", async () => {
  const runtime = createTestRuntime();
  let calls = 0;
  const store = withFaults(openStore({ runtime }), {
    dequeueRollout: async () => {
      calls += 1;
      return undefined;
    },
  });
  startRunner({ store, agent: defineAgent(() => 1), runtime });
  await eventually(() => calls).toBeGreaterThan(1);
  await runtime.clock.advance(60_000);
  expect(calls).toBeLessThan(80);
});

test("10,000 empty claims leave no listener on the caller's signal", async () => {
  const store = openStore();
  let calls = 0;
  const done = gate();
  const slow = withFaults(store, {
    dequeueRollout: async ({ signal } = {}) => {
      calls += 1;
      if (calls === 10_000) done.resolve();
      if (calls >= 10_000) await new Promise((resolve) => signal?.addEventListener("abort", resolve));
      return undefined;
    },
  });
  const runtime = createTestRuntime();
  const stop = new AbortController();
  let added = 0;
  const add = stop.signal.addEventListener.bind(stop.signal);
  stop.signal.addEventListener = (...args: Parameters<typeof add>) => {
    added += 1;
    return add(...args);
  };
  const instant = {
    ...runtime,
    clock: {
      ...runtime.clock,
      setTimer: (callback: () => void, delayMs: number) =>
        runtime.clock.setTimer(callback, delayMs > 1_000 ? delayMs : 0),
    },
  };
  const runner = new Runner({
    store: slow,
    agent: defineAgent(() => 1),
    runtime: instant,
    logger: recordingLogger().logger,
  });
  const running = runner.run({ signal: stop.signal });
  // Each advance lets one pause of the clock pass.
  const count = (): number => calls;
  while (count() < 10_000) await runtime.clock.advance(0);
  await done.promise;
  stop.abort();
  await running;
  expect(added).toBe(1);
});

test("run refuses to be called while it runs", async () => {
  const { runner } = startRunner({ store: openStore(), agent: defineAgent(() => 1) });
  await expect(runner.run()).rejects.toMatchObject({ code: "conflict" });
});

test.each([
  ["concurrency", 0],
  ["concurrency", 1.5],
  ["concurrency", Number.NaN],
  ["concurrency", Number.POSITIVE_INFINITY],
  ["maxRollouts", -1],
  ["leaseMs", 0],
  ["graceMs", -1],
  ["flushTimeoutMs", Number.NaN],
  ["maxBlockedMs", 2 ** 31],
])("option %s of %s is refused by name", (option, value) => {
  const build = () => new Runner({ store: openStore(), agent: defineAgent(() => 1), [option]: value });
  expect(build).toThrow(
    expect.objectContaining({
      code: "invalid_options",
      message: expect.stringContaining(`Option ${option} is ${value}`),
    }),
  );
});
