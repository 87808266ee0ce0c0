import { type LightningStore, llmResource } from "@agentlightning/core";
import { createTestRuntime } from "@agentlightning/core/testing";
import { openMemoryStore } from "@agentlightning/store-memory";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Baseline } from "@agentlightning/algorithm";
import { contextOf, recordingLogger, runBaseline, serve, spanOf } from "./worker.ts";

let store: LightningStore;
beforeEach(() => {
  store = openMemoryStore({ deepFreeze: true });
});
afterEach(() => store.close());

describe("a whole run", () => {
  test("runs every sample once per epoch, train before val, and sums up per split", async () => {
    const report = await runBaseline(
      store,
      (task) => Number(task),
      { trainDataset: [1, 0], valDataset: [0.5] },
      { epochs: 2 },
    );
    expect(report.outcome).toBe("completed");
    expect([report.totals.rollouts, report.splits.train.rollouts, report.splits.val.rollouts]).toEqual([6, 4, 2]);
    expect(report.splits.train.rewards).toEqual({ count: 4, missing: 0, mean: 0.5, min: 0, max: 1, sum: 2 });
    expect(report.splits.val.rewards.mean).toBe(0.5);
    const { items } = await store.queryRollouts();
    expect(items.map(({ input, mode }) => [input, mode])).toEqual([
      [1, "train"],
      [0, "train"],
      [0.5, "val"],
      [1, "train"],
      [0, "train"],
      [0.5, "val"],
    ]);
  });

  test("skips no sample and keeps their order while the queue is full", async () => {
    const samples = Array.from({ length: 50 }, (_, index) => index);
    const seen: unknown[] = [];
    await runBaseline(store, (task) => void seen.push(task), { trainDataset: samples }, { maxQueueLength: 2 });
    expect(seen).toEqual(samples);
  });

  test("never more rollouts wait than maxQueueLength allows", async () => {
    const lengths: number[] = [];
    const work = async () => {
      lengths.push((await store.statistics()).queuedRollouts);
      return 1;
    };
    await runBaseline(
      store,
      work,
      { trainDataset: Array.from({ length: 40 }, (_, index) => index) },
      { maxQueueLength: 3 },
    );
    expect(Math.max(...lengths)).toBeLessThanOrEqual(3);
  });

  test("an async iterable is asked for no more than can be used", async () => {
    let given = 0;
    let finished = 0;
    let furthest = 0;
    async function* endless() {
      for (; given < 200; given += 1) {
        furthest = Math.max(furthest, given - finished);
        yield given;
      }
    }
    const report = await runBaseline(
      store,
      () => ((finished += 1), 1),
      { trainDataset: endless() },
      { maxQueueLength: 4 },
    );
    expect(report.totals.succeeded).toBe(200);
    expect(furthest).toBeLessThanOrEqual(8);
  });

  test("initial resources are published as `default`, and rollouts are pinned to them", async () => {
    const initialResources = { main: llmResource({ endpoint: "http://m", model: "m" }) };
    await runBaseline(store, () => 1, { trainDataset: [1], initialResources });
    expect((await store.getLatestResources())?.resourcesId).toBe("default");
    expect((await store.queryRollouts()).items[0]?.resourcesId).toBe("default");
  });

  test("the same report comes of any completion order", async () => {
    const rewards = [0.1, 0.9, 0.4, 0.6];
    const delayed = async (task: unknown) => {
      for (let turns = 0; turns < Number(task) * 10; turns += 1) await Promise.resolve();
      return Number(task);
    };
    const one = await runBaseline(store, delayed, { trainDataset: rewards }, {}, 1);
    await using other = openMemoryStore();
    const many = await runBaseline(other, delayed, { trainDataset: rewards }, {}, 4);
    expect(many.totals.rewards.count).toEqual(one.totals.rewards.count);
    expect(many.totals.rewards.mean).toBeCloseTo(one.totals.rewards.mean ?? Number.NaN, 12);
  });
});

describe("failures are counted and explained", () => {
  test("a failed rollout tells its reason, and the others are none the worse", async () => {
    const report = await runBaseline(store, (task) => (task === 2 ? new Error("no tool for this") : 1), {
      trainDataset: [1, 2, 3],
    });
    expect([report.totals.succeeded, report.totals.failed]).toEqual([2, 1]);
    expect(report.totals.errors.map(({ message, count }) => [message, count])).toEqual([["no tool for this", 1]]);
    expect(report.summary()).toContain("1 × no tool for this");
  });

  test("a task that always fails is tried as often as allowed, and then the run ends", async () => {
    const attempts: number[] = [];
    const work = (_task: unknown, attempt: number) => {
      attempts.push(attempt);
      return new Error("always");
    };
    const report = await runBaseline(
      store,
      work,
      { trainDataset: [1] },
      { rolloutConfig: { maxAttempts: 3, retryCondition: ["failed"] } },
    );
    expect(attempts).toEqual([1, 2, 3]);
    expect([report.totals.failed, report.totals.attempts, report.totals.retries]).toEqual([1, 3, 2]);
  });

  test("with failFast, a run that fails alike from the start is stopped early", async () => {
    const samples = Array.from({ length: 100 }, (_, index) => index);
    const report = await runBaseline(
      store,
      () => new Error("wrong key"),
      { trainDataset: samples },
      { failFast: 3, maxQueueLength: 1 },
    );
    expect(report.outcome).toBe("failed_fast");
    expect(report.message).toBe("the first 3 rollouts all failed: wrong key");
    expect(report.totals.rollouts).toBeLessThan(10);
  });

  test("a succeeded rollout without a reward is told apart from a reward of zero", async () => {
    const report = await runBaseline(store, (task) => (task === 1 ? 0 : undefined), { trainDataset: [1, 2] });
    expect(report.totals.rewards).toEqual({ count: 1, missing: 1, mean: 0, min: 0, max: 0, sum: 0 });
  });
});

describe("a dataset that takes its time", () => {
  /** Samples that come when they are let. */
  function gated<T>(ready: readonly T[]) {
    const gate = Promise.withResolvers<void>();
    async function* samples() {
      yield* ready;
      await gate.promise;
    }
    return { samples: samples(), open: gate.resolve };
  }

  test("what is ready is enqueued at once, though more is wanted", async () => {
    const { samples, open } = gated([1, 2]);
    const seen: unknown[] = [];
    const bothRun = Promise.withResolvers<void>();
    const work = (task: unknown) => {
      if (seen.push(task) === 2) bothRun.resolve();
      return 1;
    };
    const running = runBaseline(store, work, { trainDataset: samples });
    await bothRun.promise;
    open();
    expect([(await running).totals.succeeded, seen]).toEqual([2, [1, 2]]);
  });

  test("told to stop while a sample is waited for, it ends", async () => {
    const stop = new AbortController();
    const first = gated<number>([]);
    const running = runBaseline(store, () => 1, { trainDataset: first.samples, signal: stop.signal });
    stop.abort();
    expect((await running).outcome).toBe("interrupted");
    const later = new AbortController();
    const work = () => {
      later.abort();
      return 1;
    };
    const report = await runBaseline(store, work, { trainDataset: gated([1]).samples, signal: later.signal });
    expect([report.outcome, report.totals.succeeded]).toEqual(["interrupted", 1]);
  });

  test("one that fails ends the run with its error, and leaves nothing in the queue", async () => {
    async function* failing() {
      yield* [1, 2];
      throw new Error("line 3 is broken");
    }
    await expect(new Baseline().run(contextOf(store, { trainDataset: failing() }))).rejects.toThrow("line 3 is broken");
    expect((await store.queryRollouts({ statusIn: ["queuing", "requeuing"] })).total).toBe(0);
  });
});

describe("results are read before retention may drop them", () => {
  test("with retention far smaller than what is outstanding, none is lost", async () => {
    await using small = openMemoryStore({ retention: { finishedRollouts: 1 } });
    const samples = Array.from({ length: 500 }, (_, index) => index);
    const report = await runBaseline(small, () => 1, { trainDataset: samples }, { maxQueueLength: 32 }, 32);
    expect([report.totals.succeeded, report.totals.missing]).toEqual([500, 0]);
  });
});

describe("it never waits for ever", () => {
  test("its deadlines do not wait for the next poll", async () => {
    const runtime = createTestRuntime();
    await using timed = openMemoryStore({ runtime });
    const running = new Baseline({ stallTimeoutMs: 300, pollingIntervalMs: 5_000 }).run(
      contextOf(timed, { trainDataset: [1], runtime }),
    );
    await runtime.clock.advance(301);
    expect(await running).toMatchObject({ outcome: "stalled", durationMs: 300 });
  });

  test("with no worker at all it ends, and says how many wait", async () => {
    const report = await new Baseline({ stallTimeoutMs: 30, pollingIntervalMs: 10 }).run(
      contextOf(store, { trainDataset: [1, 2, 3, 4, 5, 6] }),
    );
    expect(report.outcome).toBe("stalled");
    expect(report.message).toMatch(
      /nothing was claimed and nothing finished for \d+ ms: 4 queued, 0 running, 0 workers seen/,
    );
    expect((await store.queryRollouts({ statusIn: ["queuing"] })).total).toBe(0);
  });

  test("a rollout that has gone from the store is counted as missing", async () => {
    await using small = openMemoryStore({ retention: { finishedRollouts: 0 } });
    const gone = new Proxy(small, {
      get: (target, key) => {
        if (key === "getRolloutById") return async () => undefined;
        const value: unknown = Reflect.get(target, key);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const report = await runBaseline(gone, () => 1, { trainDataset: [1, 2] });
    expect([report.outcome, report.totals.missing, report.totals.unfinished]).toEqual(["completed", 2, 0]);
  });

  test("told to stop, it cancels what nobody has claimed and returns what there is", async () => {
    const stop = new AbortController();
    const work = (task: unknown) => {
      if (task === 2) stop.abort();
      return 1;
    };
    const report = await runBaseline(store, work, {
      trainDataset: Array.from({ length: 20 }, (_, index) => index),
      signal: stop.signal,
    });
    expect(report.outcome).toBe("interrupted");
    const { rollouts, succeeded, cancelled, unfinished } = report.totals;
    expect([succeeded + cancelled, unfinished]).toEqual([rollouts, 0]);
    expect(rollouts).toBeLessThan(20);
    expect((await store.queryRollouts({ statusIn: ["queuing", "preparing", "running"] })).total).toBe(0);
  });

  test("a store that fails ends the run with its error", async () => {
    const broken = new Proxy(store, {
      get: (target, key) => {
        if (key === "querySpans") return () => Promise.reject(new Error("the disk is full"));
        const value: unknown = Reflect.get(target, key);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    await expect(runBaseline(broken, () => 1, { trainDataset: [1] })).rejects.toThrow("the disk is full");
  });
});

describe("a late execution is counted once", () => {
  test("an attempt that timed out and reports after its retry has succeeded changes nothing", async () => {
    const over = new AbortController();
    const config = { timeoutMs: 1_000_000, maxAttempts: 2, retryCondition: ["timeout"] as const };
    const running = new Baseline<number>({ rolloutConfig: config }).run(contextOf(store, { trainDataset: [1] }));
    const first = await store.dequeueRollout({ waitMs: 10_000, workerId: "slow" });
    if (first === undefined) throw new Error("nothing was queued");
    await store.updateAttempt(first.rolloutId, first.attempt.attemptId, { status: "timeout" });
    const serving = serve(store, () => 0, over.signal);
    const report = await running;
    const late = await store.reportAttempt(first.rolloutId, first.attempt.attemptId, { status: "succeeded" });
    over.abort();
    await serving;
    expect(late.status).toBe("lost");
    expect([report.totals.rollouts, report.totals.succeeded, report.totals.attempts]).toEqual([1, 1, 2]);
    expect(report.totals.rewards.mean).toBe(0);
  });
});

describe("its log", () => {
  test("has a line for each rollout, attempt and span, with values where they are asked for", async () => {
    const logger = recordingLogger();
    await runBaseline(
      store,
      () => 0.5,
      { trainDataset: ["a"], adapter: { adapt: (spans) => [...spans].length } },
      { logger, spanVerbosity: "key_values" },
    );
    const [rollout] = (await store.queryRollouts()).items;
    const id = rollout?.rolloutId ?? "";
    const attemptId = rollout?.attempt?.attemptId ?? "";
    expect(logger.lines).toEqual([
      "There are no initial resources; an agent that asks for one will fail.",
      `[Rollout ${id}] Status changed to preparing.`,
      `[Rollout ${id}] Status changed to running.`,
      `[Rollout ${id}] Status changed to succeeded.`,
      expect.stringContaining(`[Rollout ${id}] Finished with status succeeded`),
      `[Rollout ${id} | Attempt 1] ID: ${attemptId}. Status: succeeded. Worker: hand`,
      `[Rollout ${id} | Attempt ${attemptId} | Span 0000000000000001] #1 (agentlightning.annotation) From 2023-11-14T22:13:20.000Z to 2023-11-14T22:13:21.500Z, 1.500 s. Attributes: {"agentlightning.reward.0.name":"primary","agentlightning.reward.0.value":0.5}`,
      `[Rollout ${id}] Adapted data: 1`,
      "Finished 1 of 1 rollouts so far.",
    ]);
  });

  test("shows each span under its own attempt only", async () => {
    const logger = recordingLogger();
    const work = async (_task: unknown, attempt: number) => (attempt === 1 ? new Error("first") : 1);
    await runBaseline(
      store,
      work,
      { trainDataset: ["a"] },
      { logger, rolloutConfig: { maxAttempts: 2, retryCondition: ["failed"] } },
    );
    expect(logger.lines.filter((line) => line.includes("| Span "))).toHaveLength(1);
  });

  test("is silent about spans when told so", async () => {
    const logger = recordingLogger();
    await runBaseline(store, () => 1, { trainDataset: ["a"] }, { logger, spanVerbosity: "none" });
    expect(logger.lines.some((line) => line.includes("Span"))).toBe(false);
  });
});

test("progress is told after each change, up to the end", async () => {
  const steps: number[] = [];
  await runBaseline(
    store,
    () => 1,
    { trainDataset: [1, 2, 3] },
    { onProgress: ({ succeeded }) => void steps.push(succeeded) },
  );
  expect(steps.at(-1)).toBe(3);
  expect(steps).toEqual(steps.toSorted((a, b) => a - b));
});

describe("what cannot be run is refused before anything is stored", () => {
  test("no sample at all", async () => {
    await expect(new Baseline().run(contextOf(store, { trainDataset: [], valDataset: [] }))).rejects.toMatchObject({
      code: "empty_dataset",
    });
    expect((await store.statistics()).totalRollouts).toBe(0);
  });

  test.each([
    ["epochs", { epochs: 0 }],
    ["epochs", { epochs: 1.5 }],
    ["maxQueueLength", { maxQueueLength: Number.NaN }],
    ["pollingIntervalMs", { pollingIntervalMs: -1 }],
    ["stallTimeoutMs", { stallTimeoutMs: 0 }],
    ["spanVerbosity", { spanVerbosity: "all" as never }],
  ])("a bad %s is named", (option, options) => {
    expect(() => new Baseline(options)).toThrow(
      expect.objectContaining({ code: "invalid_options", message: expect.stringContaining(option) }),
    );
  });
});

test("a rollout's rewards are those of its latest attempt", async () => {
  const work = async (_task: unknown, attempt: number) => (attempt === 1 ? new Error("again") : 0.25);
  const running = runBaseline(
    store,
    work,
    { trainDataset: [1] },
    { rolloutConfig: { maxAttempts: 2, retryCondition: ["failed"] } },
  );
  const report = await running;
  const [rollout] = (await store.queryRollouts()).items;
  const [first] = (await store.queryAttempts(rollout?.rolloutId ?? "")).items;
  await store.addSpan(
    spanOf({ rolloutId: rollout?.rolloutId ?? "", attemptId: first?.attemptId ?? "" }, "f".repeat(16), { reward: 9 }),
  );
  expect(report.totals.rewards.mean).toBe(0.25);
});
