import { type LightningStore, type LlmProxy, llmResource, promptTemplate, toArray } from "@agentlightning/core";
import { openMemoryStore } from "@agentlightning/store-memory";
import { createTestRuntime } from "@agentlightning/core/testing";
import { describe, expect, test } from "vitest";
import {
  Algorithm,
  type AlgorithmContext,
  Baseline,
  batchIterOverDataset,
  defineAlgorithm,
  FastAlgorithm,
  splitDataset,
  withLlmProxy,
  withStore,
} from "@agentlightning/algorithm";
import { contextOf } from "./worker.ts";

class Slow extends Algorithm<unknown, string> {
  async run(): Promise<string> {
    return "slow";
  }
}

class Publisher extends FastAlgorithm<unknown, string> {
  publish = withStore(async function (this: Publisher, store: LightningStore, text: string) {
    return (await store.addResources({ prompt: promptTemplate(text) })).resourcesId;
  });
  ask = withLlmProxy(async function (this: Publisher, proxy: LlmProxy | undefined, fail: boolean) {
    if (fail) throw new Error("asked to fail");
    return proxy?.isRunning() ?? "no proxy";
  });
  demand = withLlmProxy(async (_proxy: LlmProxy | undefined) => "asked", { required: true });
  async run(): Promise<string> {
    return this.publish("Hello");
  }
}

function proxyThat(isRunning: boolean) {
  const calls: string[] = [];
  let running = isRunning;
  const proxy: LlmProxy = {
    start: async () => {
      calls.push("start");
      running = true;
    },
    stop: async () => {
      calls.push("stop");
      running = false;
    },
    isRunning: () => running,
    asResource: () => llmResource({ endpoint: "http://p", model: "m" }),
  };
  return { proxy, calls };
}

describe("what an algorithm is wired to", () => {
  test("asking for a part that is not there names the class and the part", () => {
    const algorithm = new Slow();
    for (const [read, part] of [
      [() => algorithm.getStore(), "store"],
      [() => algorithm.getAdapter(), "adapter"],
      [() => algorithm.getTrainer(), "trainer"],
    ] as const) {
      expect(read).toThrow(
        expect.objectContaining({ code: "not_configured", message: expect.stringContaining(`Slow has no ${part}`) }),
      );
    }
    expect([algorithm.getLlmProxy(), algorithm.getInitialResources()]).toEqual([undefined, undefined]);
  });

  test("algorithms of another copy of the package are told by their markers, fast ones from others", () => {
    const foreign = Object.defineProperty({}, Symbol.for("agentlightning.algorithm"), { value: true });
    expect([Algorithm.isInstance(foreign), Algorithm.isInstance(new Baseline()), Algorithm.isInstance({})]).toEqual([
      true,
      true,
      false,
    ]);
    expect([
      FastAlgorithm.isInstance(new Baseline()),
      FastAlgorithm.isInstance(new Slow()),
      FastAlgorithm.isInstance(foreign),
    ]).toEqual([true, false, false]);
  });

  test("a method with the store is handed the one of that moment", async () => {
    await using store = openMemoryStore();
    const publisher = new Publisher();
    await expect(async () => publisher.publish("too early")).rejects.toMatchObject({ code: "not_configured" });
    publisher.bind({ store });
    expect((await store.getLatestResources())?.resourcesId).toBeUndefined();
    expect(await publisher.publish("Hello")).toBe((await store.getLatestResources())?.resourcesId);
  });
});

describe("a method with the LLM proxy", () => {
  test("starts a proxy that does not run and stops it afterwards, also when it fails", async () => {
    const { proxy, calls } = proxyThat(false);
    const publisher = new Publisher();
    publisher.bind({ llmProxy: proxy });
    expect(await publisher.ask(false)).toBe(true);
    await expect(publisher.ask(true)).rejects.toThrow("asked to fail");
    expect(calls).toEqual(["start", "stop", "start", "stop"]);
  });

  test("leaves one that runs alone", async () => {
    const { proxy, calls } = proxyThat(true);
    const publisher = new Publisher();
    publisher.bind({ llmProxy: proxy });
    expect(await publisher.ask(false)).toBe(true);
    expect(calls).toEqual([]);
  });

  test("is handed nothing without one, unless it requires one", async () => {
    const publisher = new Publisher();
    expect(await publisher.ask(false)).toBe("no proxy");
    await expect(publisher.demand()).rejects.toMatchObject({ code: "llm_proxy_required" });
  });
});

test("a function is an algorithm, fast unless said otherwise", async () => {
  await using store = openMemoryStore();
  const count = defineAlgorithm<string, number>(
    async ({ trainDataset }: AlgorithmContext<string>) => (await toArray(trainDataset ?? [])).length,
  );
  expect(await count.run(contextOf(store, { trainDataset: ["a", "b"] }))).toBe(2);
  expect([
    FastAlgorithm.isInstance(count),
    FastAlgorithm.isInstance(defineAlgorithm(() => undefined, { fast: false })),
  ]).toEqual([true, false]);
});

describe("splitting a dataset", () => {
  test("is by index, evenly spread, and needs no length", async () => {
    const { trainDataset, valDataset } = splitDataset({ dataset: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], trainSplit: 0.5 });
    expect([await toArray(trainDataset), await toArray(valDataset)]).toEqual([
      [1, 3, 5, 7, 9],
      [0, 2, 4, 6, 8],
    ]);
    expect(await toArray(trainDataset)).toHaveLength(5);
  });

  test.each([0.1, 0.25, 0.8, 0.99])("a share of %d is met within one sample", async (trainSplit) => {
    const dataset = Array.from({ length: 1_000 }, (_, index) => index);
    const train = await toArray(splitDataset({ dataset, trainSplit }).trainDataset);
    expect(Math.abs(train.length - 1_000 * trainSplit)).toBeLessThanOrEqual(1);
  });

  test("what can be read only once is read once, and each sample is in one part", async () => {
    async function* once() {
      for (let index = 0; index < 7; index += 1) yield index;
    }
    const { trainDataset, valDataset } = splitDataset({ dataset: once(), trainSplit: 0.5 });
    const [train, val] = [await toArray(trainDataset), await toArray(valDataset)];
    expect([...train, ...val].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(train).toEqual([1, 3, 5]);
  });

  test.each([0, 1, -0.5, 1.5, Number.NaN])("a share of %d is refused", (trainSplit) => {
    expect(() => splitDataset({ dataset: [1], trainSplit })).toThrow("strictly between 0 and 1");
  });
});

describe("batches", () => {
  test("each pass has every sample once, shuffled anew", async () => {
    const batches = batchIterOverDataset([1, 2, 3, 4, 5], 2, { runtime: createTestRuntime({ seed: 3 }) });
    const pass = async () => {
      const samples: number[] = [];
      for (let index = 0; index < 3; index += 1) samples.push(...(await batches.next()).value);
      return samples;
    };
    const [first, second] = [await pass(), await pass()];
    expect(first.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
    expect(second.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
    expect(first).not.toEqual(second);
  });

  test("a batch as large as the dataset is a whole pass", async () => {
    const { value } = await batchIterOverDataset([1, 2, 3], 10).next();
    expect(value.toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
  });

  test("an empty dataset and a batch of nothing are refused", async () => {
    await expect(batchIterOverDataset([], 2).next()).rejects.toMatchObject({ code: "empty_dataset" });
    await expect(batchIterOverDataset([1], 0).next()).rejects.toMatchObject({ code: "invalid_options" });
  });
});
