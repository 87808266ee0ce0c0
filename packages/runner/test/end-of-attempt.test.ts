import { findFinalReward, LightningError, type LightningStore } from "@agentlightning/core";
import { createSeededRandom, createTestRuntime } from "@agentlightning/core/testing";
import { emitMessage } from "@agentlightning/otel";
import { context, trace } from "@opentelemetry/api";
import { expect, test } from "vitest";
import { type AgentResult, defineAgent } from "../src/index.ts";
import { gate, openStore, runOne, startRunner, stored, withFaults } from "./support.ts";

/** Span writes take a few turns of the event loop, each a different number. */
function slowSpans(store: LightningStore): LightningStore {
  const random = createSeededRandom(3);
  return withFaults(store, {
    addManySpans: async (spans) => {
      for (let turns = Math.floor(random() * 20); turns > 0; turns -= 1) await new Promise(setImmediate);
      return store.addManySpans(spans);
    },
  });
}

const endings: Readonly<Record<string, () => AgentResult>> = {
  returns: () => 1,
  throws: () => {
    throw new Error("after its spans");
  },
};

test.each(Object.keys(endings))(
  "whoever sees a finished rollout sees all its spans, when the agent %s",
  async (ending) => {
    const inner = openStore();
    const store = slowSpans(inner);
    const agent = defineAgent<number>(async (_, { tracer }) => {
      for (let index = 0; index < 20; index += 1) tracer.startSpan(`call ${index}`).end();
      await Promise.resolve();
      return endings[ending]?.();
    });
    startRunner({ store, agent, concurrency: 4 });
    const rollouts = await inner.enqueueManyRollouts(Array.from({ length: 30 }, (_, input) => ({ input })));
    const counts = await Promise.all(
      rollouts.map(async ({ rolloutId }) => {
        await inner.waitForRollouts([rolloutId]);
        return (await inner.querySpans(rolloutId)).total;
      }),
    );
    expect(counts).toEqual(rollouts.map(() => 21));
  },
);

test("a span that ends after the agent is stored, under its own rollout", async () => {
  const store = openStore();
  const late = gate();
  const agent = defineAgent<string>((task, { tracer }) => {
    const span = tracer.startSpan(`started by ${task}`);
    if (task === "first") void late.promise.then(() => span.end());
    else span.end();
  });
  const first = await store.enqueueRollout({ input: "first" });
  const second = await store.enqueueRollout({ input: "second" });
  startRunner({ store, agent });
  await store.waitForRollouts([first.rolloutId, second.rolloutId]);
  late.resolve();
  await new Promise(setImmediate);
  const names = async (rolloutId: string) => (await store.querySpans(rolloutId)).items.map(({ name }) => name);
  expect(await names(first.rolloutId)).toEqual(["started by first"]);
  expect(await names(second.rolloutId)).toEqual(["started by second"]);
});

test("a span that is left open is kept as incomplete, and its child finds it", async () => {
  const agent = defineAgent((_, { tracer }) => {
    const stream = tracer.startSpan("stream");
    tracer.startSpan("chunk", {}, trace.setSpan(context.active(), stream)).end();
  });
  const { spans } = await runOne(agent);
  const stream = spans.find(({ name }) => name === "stream");
  const chunk = spans.find(({ name }) => name === "chunk");
  expect(stream?.status.statusCode).toBe("ERROR");
  expect(chunk).toMatchObject({ parentId: stream?.spanId, status: { statusCode: "UNSET" } });
});

test("spans that cannot be delivered are counted on the attempt, which keeps its status", async () => {
  const inner = openStore();
  const store = withFaults(inner, {
    addManySpans: () => Promise.reject(new LightningError({ code: "too_large", message: "no room" })),
  });
  const agent = defineAgent(() => {
    emitMessage("hello");
    return 1;
  });
  const { rolloutId, summary, lines } = await runOne(agent, { store });
  const attempt = await inner.getLatestAttempt(rolloutId);
  expect(attempt).toMatchObject({ status: "succeeded", endReason: "spans_lost", droppedSpans: 2 });
  expect(summary).toMatchObject({ succeeded: 1, droppedSpans: 2 });
  expect(lines.some((line) => line.startsWith("warn 1 spans could not be delivered"))).toBe(true);
});

test('with onSpanLoss "fail" a loss of spans fails the attempt', async () => {
  const inner = openStore();
  const store = withFaults(inner, {
    addManySpans: () => Promise.reject(new LightningError({ code: "too_large", message: "no room" })),
  });
  const { rolloutId } = await runOne(
    defineAgent(() => 1),
    { store, onSpanLoss: "fail" },
  );
  expect(await inner.getLatestAttempt(rolloutId)).toMatchObject({
    status: "failed",
    endReason: "spans_lost",
    droppedSpans: 1,
  });
  expect((await stored(inner, rolloutId)).error).toMatch(/^spans_lost: /);
});

test("a store that takes no spans in time does not keep the attempt's end from being reported", async () => {
  const runtime = createTestRuntime();
  const inner = openStore({ runtime });
  const writing = gate();
  const store = withFaults(inner, {
    addManySpans: () => {
      writing.resolve();
      return new Promise<never>(() => undefined);
    },
  });
  const { rolloutId } = await inner.enqueueRollout({ input: 1 });
  startRunner({ store, agent: defineAgent(() => 1), runtime, flushTimeoutMs: 1_000 });
  await writing.promise;
  await runtime.clock.advance(1_001);
  await inner.waitForRollouts([rolloutId]);
  expect(await inner.getLatestAttempt(rolloutId)).toMatchObject({ status: "succeeded", endReason: "spans_lost" });
});

test("the reward is written after every other span", async () => {
  const inner = openStore();
  const batches: string[][] = [];
  const store = withFaults(inner, {
    addManySpans: (spans) => {
      batches.push(spans.map(({ name }) => name));
      return inner.addManySpans(spans);
    },
  });
  const agent = defineAgent(() => {
    emitMessage("thinking");
    return 0.5;
  });
  const { spans } = await runOne(agent, { store });
  expect(batches.map((batch) => batch.length)).toEqual([1, 1]);
  expect(findFinalReward(spans)).toBe(0.5);
});
