import { Algorithm, type AlgorithmContext, Baseline, defineAlgorithm, FastAlgorithm } from "@agentlightning/algorithm";
import {
  findFinalReward,
  llmResource,
  type LightningStore,
  promptTemplate,
  silentLogger,
  toArray,
} from "@agentlightning/core";
import { emitMessage } from "@agentlightning/otel";
import { defineAgent } from "@agentlightning/runner";
import { openMemoryStore } from "@agentlightning/store-memory";
import { expect, onTestFinished, test } from "vitest";
import { Trainer } from "../src/index.ts";

const quiet = { logger: silentLogger };
const baseline = () => new Baseline<number>({ spanVerbosity: "none", logger: silentLogger });

function openStore(): LightningStore {
  const store = openMemoryStore({ deepFreeze: true });
  onTestFinished(() => store.close());
  return store;
}

class NotFast extends Algorithm<number, string> {
  async run(): Promise<string> {
    return "ran";
  }
}

class Fast extends FastAlgorithm<number, string> {
  async run({ store, trainDataset }: AlgorithmContext<number>): Promise<string> {
    const tasks = await toArray(trainDataset ?? []);
    const rollouts = await store.enqueueManyRollouts(tasks.map((input) => ({ input })));
    const finished = await store.waitForRollouts(rollouts.map(({ rolloutId }) => rolloutId));
    return finished.map(({ status }) => status).join();
  }
}

test("fit runs every task through the loop and gives what the algorithm returns", async () => {
  const report = await new Trainer({ algorithm: baseline(), runners: 4, ...quiet }).fit(
    defineAgent<number>((task) => task % 2 === 0),
    { trainDataset: [0, 1, 2, 3, 4] },
  );
  expect(report.totals).toMatchObject({ rollouts: 5, succeeded: 5, failed: 0 });
  expect(report.totals.rewards).toMatchObject({ count: 5, mean: 0.6 });
});

test("never more agents at once than runners", async () => {
  let running = 0;
  let most = 0;
  const agent = defineAgent<number>(async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
  });
  const trainDataset = Array.from({ length: 40 }, (_, index) => index);
  await new Trainer({ algorithm: baseline(), runners: 3, ...quiet }).fit(agent, { trainDataset });
  expect(most).toBe(3);
});

test("one dataset is split evenly; sets that are apart already are used as they are", async () => {
  const modes: Record<number, string | undefined> = {};
  const agent = defineAgent<number>((task, { mode }) => void (modes[task] = mode));
  const trainer = new Trainer({ algorithm: baseline(), ...quiet });
  await trainer.fit(agent, { dataset: [0, 1, 2, 3], trainSplit: 0.5 });
  expect(modes).toEqual({ 0: "val", 1: "train", 2: "val", 3: "train" });
  await trainer.fit(agent, { trainDataset: [0, 1], valDataset: [2, 3] });
  expect(modes).toEqual({ 0: "train", 1: "train", 2: "val", 3: "val" });
});

test.each([
  [{ dataset: [1], trainDataset: [1] }, /not both/],
  [{ trainDataset: [1], trainSplit: 0.5 }, /trainSplit/],
  [{ dataset: [1], trainSplit: 1 }, /between 0 and 1/],
  [{ dataset: [1], trainSplit: Number.NaN }, /between 0 and 1/],
])("data that contradicts itself (%o) is refused before anything is stored", async (options, message) => {
  const store = openStore();
  const trainer = new Trainer({ algorithm: baseline(), store, initialResources: { p: promptTemplate("x") }, ...quiet });
  const fitting = trainer.fit(
    defineAgent<number>(() => 1),
    options,
  );
  await expect(fitting).rejects.toMatchObject({ code: "invalid_options", message: expect.stringMatching(message) });
  expect(await store.statistics()).toMatchObject({ totalRollouts: 0, totalResources: 0 });
});

test("an empty dataset is an error, and nothing is left waiting", async () => {
  const store = openStore();
  const fitting = new Trainer({ algorithm: baseline(), store, ...quiet }).fit(
    defineAgent<number>(() => 1),
    { trainDataset: [] },
  );
  await expect(fitting).rejects.toMatchObject({ code: "empty_dataset" });
  expect((await store.statistics()).totalRollouts).toBe(0);
});

test("initial resources reach the agent", async () => {
  const trainer = new Trainer({
    algorithm: new Fast(),
    initialResources: { main: llmResource({ endpoint: "http://m/v1", model: "small" }) },
    ...quiet,
  });
  const models: string[] = [];
  await trainer.fit(
    defineAgent<number>((_, { llm }) => void models.push(llm.model)),
    { trainDataset: [1] },
  );
  expect(models).toEqual(["small"]);
});

test("dev takes a Baseline where no algorithm is set", async () => {
  const report = await new Trainer(quiet).dev(
    defineAgent<number>(() => 1),
    { trainDataset: [1, 2] },
  );
  expect(report.totals.succeeded).toBe(2);
});

test("dev runs a Baseline, and any other fast algorithm", async () => {
  const agent = defineAgent<number>(() => 1);
  const report = await new Trainer({ algorithm: baseline(), ...quiet }).dev(agent, { trainDataset: [1] });
  expect(report.totals.succeeded).toBe(1);
  const statuses = await new Trainer({ algorithm: new Fast(), ...quiet }).dev(agent, { trainDataset: [1, 2] });
  expect(statuses).toBe("succeeded,succeeded");
});

test("dev refuses an algorithm that is not fast, by its class's name, before anything is stored", async () => {
  const store = openStore();
  const trainer = new Trainer({
    algorithm: new NotFast(),
    store,
    initialResources: { p: promptTemplate("x") },
    ...quiet,
  });
  const developing = trainer.dev(
    defineAgent<number>(() => 1),
    { trainDataset: [1] },
  );
  await expect(developing).rejects.toMatchObject({
    name: "TypeError",
    code: "algorithm_not_fast",
    message: expect.stringContaining("NotFast"),
  });
  expect(await store.statistics()).toMatchObject({ totalRollouts: 0, totalResources: 0 });
});

test("a fast algorithm from a second copy of the package is recognised", async () => {
  const foreign = new NotFast();
  Object.defineProperty(foreign, Symbol.for("agentlightning.algorithm.fast"), { value: true });
  expect(await new Trainer({ algorithm: foreign, ...quiet }).dev(defineAgent<number>(() => 1))).toBe("ran");
});

test("the algorithm's own error is the one thrown, its runners are stopped, and running rollouts go back", async () => {
  const store = openStore();
  const mine = new Error("the algorithm is broken");
  const algorithm = defineAlgorithm<number>(async (context) => {
    await context.store.enqueueManyRollouts([1, 2, 3].map((input) => ({ input })));
    await running.promise;
    throw mine;
  });
  const running = Promise.withResolvers<void>();
  const agent = defineAgent<number>(async (_, { signal }) => {
    running.resolve();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
  const trainer = new Trainer({ algorithm, store, runners: 2, graceMs: 0, ...quiet });
  await expect(trainer.fit(agent)).rejects.toBe(mine);
  expect(await store.statistics()).toMatchObject({ queuedRollouts: 3 });
});

test("a store that fails the runners ends the run with its error", async () => {
  const store = openStore();
  const algorithm = defineAlgorithm<number, string>(async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    throw signal.reason;
  });
  const broken = new Proxy(store, {
    get(target, key) {
      if (key === "dequeueRollout") return () => Promise.reject(closed);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const closed = await openClosedError();
  const trainer = new Trainer({ algorithm, store: broken, ...quiet });
  await expect(trainer.fit(defineAgent<number>(() => 1))).rejects.toBe(closed);
});

async function openClosedError(): Promise<unknown> {
  const store = openMemoryStore();
  await store.close();
  return store.dequeueRollout().catch((error: unknown) => error);
}

test("Ctrl-C: nothing new is claimed, agents are aborted after the grace, and the partial report comes back", async () => {
  const stop = new AbortController();
  let runs = 0;
  const agent = defineAgent<number>(async (task, { signal }) => {
    runs += 1;
    if (task < 2) return 1;
    stop.abort();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    throw signal.reason;
  });
  const trainer = new Trainer({ algorithm: baseline(), graceMs: 20, ...quiet });
  const report = await trainer.fit(agent, { trainDataset: [0, 1, 2, 3, 4, 5], signal: stop.signal });
  expect(report.outcome).toBe("interrupted");
  expect(report.totals.succeeded).toBe(2);
  expect(runs).toBe(3);
});

test("an algorithm that ignores the signal does not hold the call for ever", async () => {
  const stop = new AbortController();
  const timers: { readonly callback: () => void; readonly delayMs: number }[] = [];
  const { systemRuntime } = await import("@agentlightning/core");
  const clock = {
    ...systemRuntime.clock,
    setTimer: (callback: () => void, delayMs: number) => {
      timers.push({ callback, delayMs });
      return { cancel: () => undefined };
    },
  };
  const algorithm = defineAlgorithm<number>(() => new Promise(() => undefined));
  const trainer = new Trainer({ algorithm, runtime: { ...systemRuntime, clock }, graceMs: 1_000, ...quiet });
  const fitting = trainer.fit(
    defineAgent<number>(() => 1),
    { signal: stop.signal },
  );
  const outcome = fitting.catch((error: unknown) => error);
  await new Promise(setImmediate);
  stop.abort();
  const bound = timers.find(({ delayMs }) => delayMs === 21_000);
  bound?.callback();
  expect(await outcome).toMatchObject({ code: "aborted" });
});

test("without an algorithm fit serves what is enqueued until its signal aborts", async () => {
  const store = openStore();
  const stop = new AbortController();
  const fitting = new Trainer({ store, ...quiet }).fit(
    defineAgent<number>((task) => task / 10),
    { signal: stop.signal },
  );
  const { rolloutId } = await store.enqueueRollout({ input: 7 });
  await store.waitForRollouts([rolloutId]);
  stop.abort();
  expect(await fitting).toBeUndefined();
  expect(findFinalReward(await store.querySpans(rolloutId))).toBe(0.7);
});

test("the user's store stays open; that of a call alone is closed", async () => {
  const store = openStore();
  const agent = defineAgent<number>(() => 1);
  let own: LightningStore | undefined;
  const algorithm = defineAlgorithm<number>((context) => void (own = context.store));
  await new Trainer({ algorithm, ...quiet }).fit(agent);
  await expect(own?.statistics()).rejects.toMatchObject({ code: "closed" });
  await new Trainer({ algorithm, store, ...quiet }).fit(agent);
  expect(own).toBe(store);
  expect(await store.statistics()).toMatchObject({ totalRollouts: 0 });
});

test("two fits at once do not mix their rollouts and spans", async () => {
  const seen: Record<string, unknown[]> = { a: [], b: [] };
  const run = async (name: "a" | "b"): Promise<void> => {
    const agent = defineAgent<number>(async (task, { tracer }) => {
      const span = tracer.startSpan(`${name} ${task}`);
      await new Promise(setImmediate);
      emitMessage(`${name} ${task}`);
      span.end();
    });
    const hooks = [
      {
        onRolloutEnd: ({ spans }: { spans: readonly { name: string; attributes: object }[] }) => {
          seen[name]?.push(...spans.map((span) => Object.values(span.attributes)[0] ?? span.name));
        },
      },
    ];
    await new Trainer({ algorithm: baseline(), runners: 3, hooks, ...quiet }).fit(agent, {
      trainDataset: Array.from({ length: 30 }, (_, index) => index),
    });
  };
  await Promise.all([run("a"), run("b")]);
  for (const name of ["a", "b"]) {
    expect(seen[name]).toHaveLength(60);
    expect(seen[name]?.filter((text) => !String(text).startsWith(`${name} `))).toEqual([]);
  }
});

test("what the trainer has is bound to the algorithm and in its context", async () => {
  const adapter = { adapt: () => "adapted" };
  let bound: unknown[] = [];
  class Curious extends FastAlgorithm<number, void> {
    async run({ adapter: given, initialResources }: AlgorithmContext<number>): Promise<void> {
      bound = [this.getTrainer(), this.getAdapter(), this.getStore(), given, initialResources];
    }
  }
  const store = openStore();
  const initialResources = { p: promptTemplate("x") };
  const trainer = new Trainer({ algorithm: new Curious(), adapter, store, initialResources, ...quiet });
  await trainer.fit(defineAgent<number>(() => 1));
  expect(bound).toEqual([trainer, adapter, store, adapter, initialResources]);
});

test("runAlgorithm runs the algorithm alone, on a store that runners elsewhere share", async () => {
  const store = openStore();
  const stop = new AbortController();
  const serving = new Trainer({ store, ...quiet }).fit(
    defineAgent<number>(() => 1),
    { signal: stop.signal },
  );
  const trainer = new Trainer({ store, algorithm: new Fast(), ...quiet });
  expect(await trainer.runAlgorithm({ trainDataset: [1, 2] })).toBe("succeeded,succeeded");
  stop.abort();
  await serving;
  await expect(new Trainer({ algorithm: new Fast(), ...quiet }).runAlgorithm()).rejects.toMatchObject({
    code: "not_configured",
  });
});

test.each([0, 1.5, -1, Number.NaN, Number.POSITIVE_INFINITY])("runners: %s is refused by name", (runners) => {
  expect(() => new Trainer({ runners })).toThrow(
    expect.objectContaining({ code: "invalid_options", message: expect.stringContaining(`runners is ${runners}`) }),
  );
});

test.each([
  ["graceMs", -1],
  ["leaseMs", 0],
  ["onSpanLoss", "ignore"],
])("option %s of %s is refused by name", (option, value) => {
  expect(() => new Trainer({ [option]: value })).toThrow(
    expect.objectContaining({ code: "invalid_options", message: expect.stringContaining(option) }),
  );
});
