import type { JsonValue, LightningStore } from "@agentlightning/core";
import { expect, test } from "vitest";
import { claim, codeOf, openTestStore, span } from "./support.ts";

test("neither side sees the other's later changes, and records are frozen", async () => {
  const { store } = openTestStore();
  const input = { list: [1, { deep: true }] };
  const rollout = await store.enqueueRollout({ input, metadata: { by: "me" } });
  input.list.push(2);
  expect((await store.getRolloutById(rollout.rolloutId))?.input).toEqual({ list: [1, { deep: true }] });
  const stored = rollout.input as { list: unknown[] };
  expect(() => stored.list.push(3)).toThrow(TypeError);
  expect(() => Object.assign(rollout, { status: "failed" })).toThrow(TypeError);
  expect(() => Object.assign(rollout.metadata, { by: "you" })).toThrow(TypeError);
});

test("numbers that JSON text cannot hold, and keys that are dangerous, come back as they went in", async () => {
  const { store } = openTestStore();
  const input: JsonValue = JSON.parse(
    '{"__proto__": {"polluted": true}, "constructor": 1, "a.b": 2, "$c": 3}',
  ) as JsonValue;
  const values = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 1e308, 0.1 + 0.2];
  const rollout = await store.enqueueRollout({ input: { input, values } });
  const stored = rollout.input as { input: object; values: number[] };
  expect(Object.is(stored.values[3], -0)).toBe(true);
  expect(stored.values).toEqual(values);
  expect(Object.keys(stored.input)).toEqual(["__proto__", "constructor", "a.b", "$c"]);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test("a property that is undefined is left out; an update with undefined leaves the field alone; null clears", async () => {
  const { store } = openTestStore();
  const { rolloutId, input } = await store.enqueueRollout({ input: { a: undefined, b: 1 } as never, mode: "train" });
  expect(Object.keys(input as object)).toEqual(["b"]);
  expect(await store.updateRollout(rolloutId, { mode: undefined, status: undefined })).toMatchObject({ mode: "train" });
  expect((await store.updateRollout(rolloutId, { mode: null, metadata: null })).mode).toBeUndefined();
});

class Custom {
  readonly field = 1;
}
const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;
let deep: unknown = 1;
for (let level = 0; level < 300; level += 1) deep = [deep];

test.each([
  ["an undefined in a list", { list: [1, undefined] }, "input.list[1]"],
  ["a hole in a list", { list: Object.assign([], { length: 2 }) }, "input.list[0]"],
  ["a function", { call: () => 1 }, "input.call"],
  ["a symbol", { mark: Symbol("x") }, "input.mark"],
  ["a big integer", { big: 1n }, "input.big"],
  ["a date", { when: new Date(Number.NaN) }, "input.when"],
  ["a map", { map: new Map() }, "input.map"],
  ["a set", { set: new Set() }, "input.set"],
  ["bytes", { bytes: new Uint8Array(2) }, "input.bytes"],
  ["a class instance", { nested: { custom: new Custom() } }, "input.nested.custom"],
  ["a cycle", cycle, "input.self.self"],
  ["too deep nesting", deep, "input[0][0]"],
  ["nothing", undefined, "input"],
])("an input with %s is refused, naming its path, and nothing is stored", async (_, input, path) => {
  const { store } = openTestStore();
  await expect(store.enqueueRollout({ input: input as never })).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining(path) as unknown,
  });
  expect((await store.statistics()).totalRollouts).toBe(0);
});

test("an input, a span and metadata over their bounds are too large", async () => {
  const { store } = openTestStore({ maxInputBytes: 1_000, maxSpanBytes: 1_000 });
  const text = "x".repeat(1_001);
  expect(await codeOf(store.enqueueRollout({ input: text }))).toBe("too_large");
  const { attempt } = await store.startRollout({ input: null });
  expect(await codeOf(store.addSpan(span(attempt, { attributes: { text } })))).toBe("too_large");
  expect(await codeOf(store.enqueueRollout({ input: null, metadata: { text: "x".repeat(70_000) } }))).toBe("too_large");
});

const wrongCalls: readonly (readonly [string, (store: LightningStore, rolloutId: string) => Promise<unknown>])[] = [
  ["no request", (store) => store.enqueueRollout(null as never)],
  ["no list", (store) => store.enqueueManyRollouts({} as never)],
  ["a mode", (store) => store.enqueueRollout({ input: 1, mode: "TRAIN" as never })],
  ["no attempts", (store) => store.enqueueRollout({ input: 1, config: { maxAttempts: 0 } })],
  ["a timeout", (store) => store.enqueueRollout({ input: 1, config: { timeoutMs: Number.NaN } })],
  ["a retry condition", (store) => store.enqueueRollout({ input: 1, config: { retryCondition: ["fail" as never] } })],
  ["a config", (store) => store.enqueueRollout({ input: 1, config: "x" as never })],
  ["an empty key", (store) => store.enqueueRollout({ input: 1, idempotencyKey: "" })],
  ["an empty worker", (store) => store.dequeueRollout({ workerId: "" })],
  ["a lease", (store) => store.dequeueRollout({ leaseMs: 0 })],
  ["a wait", (store) => store.dequeueRollout({ waitMs: -1 })],
  ["a limit", (store) => store.dequeueManyRollouts({ limit: Number.NaN })],
  ["a status", (store, id) => store.updateRollout(id, { status: "done" as never })],
  ["a report", (store, id) => store.reportAttempt(id, "latest", { status: "running" as never })],
  ["a query's status", (store) => store.queryRollouts({ statusIn: "failed" as never })],
  ["a query's field", (store) => store.queryRollouts({ sortBy: "input" as never })],
  ["a query's limit", (store) => store.queryRollouts({ limit: -2 })],
  ["a span's status", (store) => store.addSpan({} as never)],
  ["no resources", (store) => store.addResources(null as never)],
  ["a resource", (store) => store.addResources({ x: { resourceType: "y" } as never })],
  ["statistics of a worker", (store) => store.updateWorker("w", { heartbeatStats: null as never })],
];

test.each(wrongCalls)("a wrong argument (%s) is refused at the door", async (_, call) => {
  const { store } = openTestStore();
  const { rolloutId } = await store.startRollout({ input: null });
  const before = await store.statistics();
  expect(await codeOf(call(store, rolloutId))).toBe("invalid_input");
  expect(await store.statistics()).toEqual(before);
});

test("pages of a thousand rollouts of one instant join up to the whole, whatever they are sorted by", async () => {
  const { store } = openTestStore();
  const queued = await store.enqueueManyRollouts(Array.from({ length: 1_000 }, (_, index) => ({ input: index })));
  for (const status of ["succeeded", "failed"] as const) {
    const { rolloutId } = await claim(store);
    await store.updateRollout(rolloutId, { status });
  }
  for (const sortBy of ["startTimeMs", "endTimeMs", "status", undefined] as const) {
    const seen: string[] = [];
    for (let offset = 0; offset < 1_000; offset += 7) {
      const page = await store.queryRollouts({ sortBy, limit: 7, offset });
      expect(page.total).toBe(1_000);
      seen.push(...[...page].map(({ rolloutId }) => rolloutId));
    }
    expect(seen.toSorted()).toEqual(queued.map(({ rolloutId }) => rolloutId).toSorted());
  }
});

test("conditions of a rollout query narrow with and, widen with or; an empty list matches nothing", async () => {
  const { store } = openTestStore();
  const [a, b, c] = await store.enqueueManyRollouts([{ input: "a" }, { input: "b" }, { input: "c" }]);
  await store.updateRollout(b?.rolloutId ?? "", { status: "failed" });
  const inputs = async (query: Parameters<typeof store.queryRollouts>[0]) =>
    (await store.queryRollouts(query)).items.map(({ input }) => input);
  const rolloutIdIn = [a?.rolloutId ?? "", b?.rolloutId ?? "", "ro-x"];
  expect(await inputs({ statusIn: ["queuing"], rolloutIdIn })).toEqual(["a"]);
  expect(await inputs({ statusIn: ["queuing"], rolloutIdIn, filterLogic: "or" })).toEqual(["a", "b", "c"]);
  expect(await inputs({ statusIn: [] })).toEqual([]);
  expect(await inputs({ statusIn: undefined })).toEqual(["a", "b", "c"]);
  expect(await inputs({ rolloutIdContains: c?.rolloutId.slice(4) })).toEqual(["c"]);
  expect(await inputs({ limit: 0 })).toEqual([]);
});

test("resources have versions; new rollouts take the latest; a wrong expected version is a conflict", async () => {
  const { store } = openTestStore();
  const prompt = (template: string) => ({
    main: { resourceType: "prompt_template" as const, template, engine: "f-string" as const },
  });
  expect(await store.getLatestResources()).toBeUndefined();
  const first = await store.addResources(prompt("one"));
  const second = await store.updateResources("own", prompt("two"), { expectedVersion: 0 });
  expect([first.version, second.version]).toEqual([1, 1]);
  expect(await store.getLatestResources()).toEqual(second);
  expect((await store.enqueueRollout({ input: 1 })).resourcesId).toBe("own");
  expect((await store.enqueueRollout({ input: 1, resourcesId: "rs-unknown" })).resourcesId).toBe("rs-unknown");
  expect(await codeOf(store.updateResources("own", prompt("x"), { expectedVersion: 0 }))).toBe("conflict");
  const races = await Promise.all(Array.from({ length: 50 }, () => store.updateResources("own", prompt("three"))));
  expect(races.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 50 }, (_, index) => index + 2),
  );
  expect((await store.queryResources({ resourcesIdContains: "ow" })).items.map(({ version }) => version)).toEqual([51]);
  expect((await store.getResourcesById(first.resourcesId))?.resources).toEqual(prompt("one"));
});

test("a worker's record follows what it claims and reports, and its own heartbeat touches nothing else", async () => {
  const { store } = openTestStore();
  expect(await store.updateWorker("w", { heartbeatStats: { cpu: 0.5 } })).toEqual({
    workerId: "w",
    status: "unknown",
    lastHeartbeatTimeMs: 1_000_000,
    heartbeatStats: { cpu: 0.5 },
  });
  expect(await store.dequeueRollout({ workerId: "w" })).toBeUndefined();
  expect(await store.getWorkerById("w")).toMatchObject({ status: "idle", lastDequeueTimeMs: 1_000_000 });
  await store.enqueueRollout({ input: null });
  const { rolloutId, attempt } = await claim(store, { workerId: "w" });
  expect(await store.getWorkerById("w")).toMatchObject({ status: "busy", currentAttemptId: attempt.attemptId });
  await store.dequeueRollout({ workerId: "w" });
  expect(await store.getWorkerById("w")).toMatchObject({ status: "busy", currentRolloutId: rolloutId });
  await store.reportAttempt(rolloutId, attempt.attemptId, { status: "succeeded" });
  const worker = await store.getWorkerById("w");
  expect([worker?.status, worker?.currentRolloutId, worker?.heartbeatStats]).toEqual(["idle", undefined, { cpu: 0.5 }]);
  expect((await store.queryWorkers({ statusIn: ["idle"], workerIdContains: "w" })).total).toBe(1);
});

test("a repeated write of resources with the same key gives what the first one stored", async () => {
  const { store } = openTestStore();
  const set = (template: string) => ({
    p: { resourceType: "prompt_template" as const, template, engine: "f-string" as const },
  });
  const add = (text: string) => store.addResources(set(text), { idempotencyKey: "k" });
  const [first, twin] = await Promise.all([add("one"), add("two")]);
  expect(twin).toEqual(first);
  expect(await add("three")).toEqual(first);
  const put = (text: string, key: string) => store.updateResources("own", set(text), { idempotencyKey: key });
  const stored = await put("one", "a");
  expect(await put("two", "a")).toEqual(stored);
  expect((await put("two", "b")).version).toBe(2);
  expect((await store.queryResources()).total).toBe(2);
});
