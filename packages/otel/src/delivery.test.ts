import { LightningError, type Logger, type SpanInput } from "@agentlightning/core";
import { createTestRuntime } from "@agentlightning/core/testing";
import { openMemoryStore } from "@agentlightning/store-memory";
import { expect, test } from "vitest";
import { AttemptTrace, type AttemptTraceOptions } from "./index.ts";

type SpanStore = AttemptTraceOptions["store"];

const unavailable = (): Promise<never> =>
  Promise.reject(new LightningError({ code: "unavailable", message: "the store is away" }));
const noAnswer = (): Promise<never> => new Promise(() => undefined);

async function openTrace(
  replace: (store: SpanStore) => Partial<SpanStore>,
  options: Partial<AttemptTraceOptions> = {},
) {
  const runtime = createTestRuntime();
  const memory = openMemoryStore({ runtime });
  const { rolloutId, attempt } = await memory.startRollout({ input: 1 });
  const identity = { rolloutId, attemptId: attempt.attemptId };
  const warnings: string[] = [];
  const quiet = (): void => undefined;
  const logger: Logger = { debug: quiet, info: quiet, error: quiet, warn: (message) => void warnings.push(message) };
  const store: SpanStore = {
    addManySpans: (spans) => memory.addManySpans(spans),
    getManySpanSequenceIds: (pairs) => memory.getManySpanSequenceIds(pairs),
    ...replace(memory),
  };
  const trace = new AttemptTrace({ store, identity, runtime, logger, ...options });
  const names = async () => (await memory.querySpans(rolloutId)).items.map(({ name }) => name);
  const span = (name: string): SpanInput => ({
    ...identity,
    name,
    traceId: runtime.ids.traceId(),
    spanId: runtime.ids.spanId(),
    status: { statusCode: "UNSET" },
    attributes: {},
    events: [],
    links: [],
    resource: { attributes: {}, schemaUrl: "" },
  });
  return { runtime, trace, names, span, warnings };
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `span-${index}`);

test("a store that is away during a burst gets every span once it is back, each once", async () => {
  let failures = 0;
  const { runtime, trace, names, span } = await openTrace((store) => ({
    addManySpans: (spans) => {
      failures += 1;
      return failures <= 5 ? unavailable() : store.addManySpans(spans);
    },
  }));
  for (const name of numbered(1_000)) trace.record(span(name));
  await runtime.clock.advance(10_000);
  expect(await names()).toEqual(numbered(1_000));
  expect(await trace.flush()).toMatchObject({ deliveredSpans: 1_000, droppedSpans: 0 });
});

test("a flush does not wait for the pause between two tries to end", async () => {
  let isAway = true;
  const { runtime, trace, names, span } = await openTrace((store) => ({
    addManySpans: (spans) => (isAway ? unavailable() : store.addManySpans(spans)),
  }));
  trace.record(span("answer"));
  await runtime.clock.advance(20_000);
  isAway = false;
  expect(await trace.flush()).toMatchObject({ deliveredSpans: 1, droppedSpans: 0 });
  expect(await names()).toEqual(["answer"]);
});

test("a store that stays away bounds the buffer and the flush; the loss is counted and said once", async () => {
  const { runtime, trace, span, warnings } = await openTrace(() => ({ addManySpans: unavailable }), {
    maxBufferedSpans: 10,
    flushTimeoutMs: 3_000,
  });
  trace.record(span("first"));
  await runtime.clock.advance(1_000);
  for (const name of numbered(25)) trace.record(span(name));
  const flushed = trace.flush();
  await runtime.clock.advance(3_000);
  expect(await flushed).toMatchObject({
    deliveredSpans: 0,
    droppedSpans: 26,
    lastError: { code: "unavailable" },
  });
  expect(warnings).toHaveLength(1);
});

test.for([
  ["does not answer", noAnswer],
  ["fails", unavailable],
  [
    "throws at once",
    () => {
      throw new Error("closed");
    },
  ],
] as const)("a request for numbers that %s loses no span", async ([, getManySpanSequenceIds]) => {
  const { runtime, trace, names, span } = await openTrace(() => ({ getManySpanSequenceIds }), {
    reserveSequenceNumbers: true,
  });
  trace.record(span("answer"));
  const flushed = trace.flush();
  await runtime.clock.advance(2_500);
  expect(await flushed).toEqual({ deliveredSpans: 1, droppedSpans: 0 });
  expect(await names()).toEqual(["answer"]);
});

test("a call that never answers costs its flush, not the spans that come later", async () => {
  let calls = 0;
  const { runtime, trace, names, span } = await openTrace((store) => ({
    addManySpans: (spans) => {
      calls += 1;
      return calls === 1 ? noAnswer() : store.addManySpans(spans);
    },
  }));
  trace.record(span("stuck"));
  const flushed = trace.flush();
  await runtime.clock.advance(5_000);
  expect(await flushed).toMatchObject({ deliveredSpans: 0, droppedSpans: 1, lastError: { code: "spans_lost" } });
  trace.record(span("late"));
  expect(await trace.flush()).toMatchObject({ deliveredSpans: 1, droppedSpans: 1 });
  expect(await names()).toEqual(["late"]);
});

test("an aborted flush ends at once, and what has not arrived is counted", async () => {
  const { trace, span } = await openTrace(() => ({ addManySpans: noAnswer }));
  trace.record(span("stuck"));
  expect(await trace.flush({ signal: AbortSignal.abort() })).toMatchObject({ deliveredSpans: 0, droppedSpans: 1 });
});

test("one refused span does not take its batch with it, and is said", async () => {
  const { trace, names, span, warnings } = await openTrace((store) => ({
    addManySpans: (spans) =>
      spans.some(({ name }) => name === "bad")
        ? Promise.reject(new LightningError({ code: "invalid_input", message: "no such attribute" }))
        : store.addManySpans(spans),
  }));
  for (const name of ["a", "bad", "b"]) trace.record(span(name));
  expect(await trace.flush()).toMatchObject({ deliveredSpans: 2, droppedSpans: 1 });
  expect(await names()).toEqual(["a", "b"]);
  expect(warnings).toEqual(['span "bad" was refused and is lost: no such attribute']);
});
