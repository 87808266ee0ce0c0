import { findFinalReward, LightningError } from "@agentlightning/core";
import { openMemoryStore } from "@agentlightning/store-memory";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AttemptTrace, emitReward, LightningSpanProcessor } from "./index.ts";

const provider = new BasicTracerProvider({ spanProcessors: [new LightningSpanProcessor()] });
const tracer = provider.getTracer("test");

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(() => {
  context.disable();
  trace.disable();
});

async function openTrace() {
  const store = openMemoryStore();
  const { rolloutId, attempt } = await store.startRollout({ input: 1 });
  const identity = { rolloutId, attemptId: attempt.attemptId };
  return { store, identity, trace: new AttemptTrace({ store, identity, tracing: { tracer } }) };
}

test("ten thousand spans that end in one tick all arrive, in the order they started", async () => {
  const { store, identity, trace: attempt } = await openTrace();
  attempt.run(() => {
    for (let index = 0; index < 10_000; index += 1) tracer.startSpan(`span-${index}`).end();
  });
  expect(await attempt.flush()).toEqual({ deliveredSpans: 10_000, droppedSpans: 0 });
  const names = (await store.querySpans(identity.rolloutId)).items.map((span) => span.name);
  expect(names).toEqual(Array.from({ length: 10_000 }, (_, index) => `span-${index}`));
});

test("twenty concurrent attempts never see each other's spans or rewards", async () => {
  const attempts = await Promise.all(Array.from({ length: 20 }, openTrace));
  await Promise.all(
    attempts.map(({ trace: attempt }, index) =>
      attempt.run(async () => {
        for (let step = 0; step < 5; step += 1) {
          await new Promise((resolve) => setImmediate(resolve));
          tracer.startSpan(`agent-${index}`).end();
        }
        emitReward(index);
      }),
    ),
  );
  for (const [index, { store, identity, trace: attempt }] of attempts.entries()) {
    await attempt.flush();
    const { items } = await store.querySpans(identity.rolloutId);
    expect(items.filter((span) => span.name === `agent-${index}`)).toHaveLength(5);
    expect([items.length, findFinalReward(items)]).toEqual([6, index]);
  }
});

test("a reward that is no finite number is refused with a code, and nothing is stored", async () => {
  const { store, identity, trace: attempt } = await openTrace();
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, "0.5"]) {
    let thrown: unknown;
    try {
      attempt.run(() => Reflect.apply(emitReward, undefined, [value]));
    } catch (error) {
      thrown = error;
    }
    expect(LightningError.isInstance(thrown, "invalid_input")).toBe(true);
  }
  await attempt.flush();
  expect((await store.querySpans(identity.rolloutId)).items).toEqual([]);
});

test("a span that never ends is kept as incomplete, and its late end adds no second row", async () => {
  const { store, identity, trace: attempt } = await openTrace();
  const open = attempt.run(() => tracer.startSpan("stream"));
  await attempt.flush();
  open.end();
  await attempt.flush();
  const { items } = await store.querySpans(identity.rolloutId);
  expect(items.map(({ name, status }) => [name, status.statusCode])).toEqual([["stream", "ERROR"]]);
});
