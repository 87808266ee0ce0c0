import { EventEmitter } from "node:events";
import type { Logger, Span } from "@agentlightning/core";
import { createTestRuntime } from "@agentlightning/core/testing";
import { openMemoryStore } from "@agentlightning/store-memory";
import { context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, type TracerConfig } from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AttemptTrace, emitReward, LightningSpanProcessor, runInRollout } from "./index.ts";

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(() => context.disable());

async function openRollout() {
  const store = openMemoryStore();
  const { rolloutId, attempt } = await store.startRollout({ input: 1 });
  const processor = new LightningSpanProcessor({ store });
  const tracer = new BasicTracerProvider({ spanProcessors: [processor] }).getTracer("test");
  const identity = { rolloutId, attemptId: attempt.attemptId };
  const spans = async (): Promise<readonly Span[]> => (await store.querySpans(rolloutId)).items;
  const names = async () => (await spans()).map(({ name }) => name);
  const attempted = new AttemptTrace({ store, identity, tracing: { tracer } });
  return { store, processor, tracer, identity, spans, names, attempt: attempted };
}

test("forceFlush delivers what ended and leaves open spans open; they arrive whole when they end", async () => {
  const { processor, tracer, identity, spans, names } = await openRollout();
  const open = runInRollout(identity, () => {
    tracer.startSpan("done").end();
    return tracer.startSpan("stream");
  });
  await processor.forceFlush();
  expect(await names()).toEqual(["done"]);
  open.setAttribute("chunks", 3).end();
  await processor.forceFlush();
  const [, stream] = await spans();
  expect([stream?.name, stream?.status.statusCode, stream?.attributes]).toEqual(["stream", "UNSET", { chunks: 3 }]);
});

test("shutdown delivers, keeps open spans as incomplete, and takes nothing more", async () => {
  const { processor, tracer, identity, spans } = await openRollout();
  runInRollout(identity, () => tracer.startSpan("stream"));
  await processor.shutdown();
  await processor.shutdown();
  runInRollout(identity, () => tracer.startSpan("too late").end());
  await processor.forceFlush();
  expect((await spans()).map(({ name, status }) => [name, status.statusCode])).toEqual([["stream", "ERROR"]]);
});

test("a processor says once that spans were lost, and its shutdown ends although the store never answers", async () => {
  const runtime = createTestRuntime();
  const store = { ...openMemoryStore(), addManySpans: (): Promise<never> => new Promise(() => undefined) };
  const warnings: string[] = [];
  const quiet = (): void => undefined;
  const logger: Logger = { debug: quiet, info: quiet, error: quiet, warn: (message) => void warnings.push(message) };
  const processor = new LightningSpanProcessor({ store, logger, runtime, flushTimeoutMs: 1_000 });
  const tracer = new BasicTracerProvider({ spanProcessors: [processor] }).getTracer("test");
  for (const rolloutId of ["ro-1", "ro-2"]) {
    runInRollout({ rolloutId, attemptId: "at-1" }, () => tracer.startSpan("lost").end());
  }
  const shutdown = processor.shutdown();
  await runtime.clock.advance(1_000);
  await shutdown;
  expect(warnings).toEqual([
    "spans could not be delivered and are lost: the store did not take 1 spans within 1000 ms",
  ]);
});

test("a span ended twice is stored once, and spans outside any rollout are left alone", async () => {
  const { processor, tracer, identity, names } = await openRollout();
  tracer.startSpan("outside").end();
  const span = runInRollout(identity, () => tracer.startSpan("twice"));
  span.end();
  span.end();
  processor.onEnd(span as Parameters<typeof processor.onEnd>[0] & typeof span);
  await processor.forceFlush();
  expect(await names()).toEqual(["twice"]);
});

test("spans belong to the attempt through timers, event listeners, async generators and awaits", async () => {
  const { tracer, names, attempt } = await openRollout();
  await attempt.run(async () => {
    await new Promise<void>((resolve) => {
      setTimeout(() => {
        tracer.startSpan("timer").end();
        resolve();
      }, 0);
    });
    const emitter = new EventEmitter();
    emitter.on("chunk", () => tracer.startSpan("listener").end());
    emitter.emit("chunk");
    async function* steps() {
      await Promise.resolve();
      tracer.startSpan("generator").end();
      yield 1;
    }
    for await (const _step of steps()) tracer.startSpan("loop").end();
  });
  await attempt.flush();
  expect(await names()).toEqual(["timer", "listener", "generator", "loop"]);
});

test("a child started in no rollout joins the attempt of its open parent", async () => {
  const { tracer, identity, names, processor } = await openRollout();
  const parent = runInRollout(identity, () => tracer.startSpan("parent"));
  tracer.startSpan("child", {}, trace.setSpan(ROOT_CONTEXT, parent)).end();
  parent.end();
  await processor.forceFlush();
  expect(await names()).toEqual(["parent", "child"]);
});

test("spans are numbered in the order they started, also a parent that ends last", async () => {
  const { tracer, spans, attempt } = await openRollout();
  attempt.run(() =>
    tracer.startActiveSpan("grandparent", (grandparent) =>
      tracer.startActiveSpan("parent", (parent) => {
        tracer.startSpan("child").end();
        emitReward(1);
        parent.end();
        grandparent.end();
      }),
    ),
  );
  await attempt.flush();
  const [grandparent, parent, child, reward] = await spans();
  expect([grandparent?.name, parent?.name, child?.name, reward?.name]).toEqual([
    "grandparent",
    "parent",
    "child",
    "agentlightning.annotation",
  ]);
  expect([grandparent?.parentId, parent?.parentId, child?.parentId, reward?.parentId]).toEqual([
    undefined,
    grandparent?.spanId,
    parent?.spanId,
    parent?.spanId,
  ]);
});

test("a remote parent is kept and said to be remote; an all-zero parent is none", async () => {
  const { tracer, spans, attempt } = await openRollout();
  const remote = { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags: 1, isRemote: true };
  const zero = { traceId: "0".repeat(32), spanId: "0".repeat(16), traceFlags: 1 };
  attempt.run(() => {
    tracer.startSpan("remote", {}, trace.setSpanContext(ROOT_CONTEXT, remote)).end();
    tracer.startSpan("zero", {}, trace.setSpanContext(ROOT_CONTEXT, zero)).end();
  });
  await attempt.flush();
  const [first, second] = await spans();
  expect([first?.traceId, first?.parentId, first?.parent?.isRemote]).toEqual([remote.traceId, remote.spanId, true]);
  expect([second?.parentId, second?.parent]).toEqual([undefined, undefined]);
});

test("a span that ends after the flush is still delivered by the next", async () => {
  const { tracer, names, attempt } = await openRollout();
  attempt.run(() => tracer.startSpan("first").end());
  await attempt.flush();
  attempt.run(() => tracer.startSpan("late").end());
  expect(await attempt.flush()).toEqual({ deliveredSpans: 2, droppedSpans: 0 });
  expect(await names()).toEqual(["first", "late"]);
});

test("a resource whose attributes never settle holds its spans for a second and no longer", async () => {
  const runtime = createTestRuntime();
  const store = openMemoryStore({ runtime });
  const { rolloutId, attempt } = await store.startRollout({ input: 1 });
  const processor = new LightningSpanProcessor({ store, runtime });
  const resource: NonNullable<TracerConfig["resource"]> = {
    attributes: {},
    asyncAttributesPending: true,
    waitForAsyncAttributes: () => new Promise<void>(() => undefined),
    getRawAttributes: () => [],
    merge: () => resource,
  };
  const tracer = new BasicTracerProvider({ spanProcessors: [processor], resource }).getTracer("test");
  runInRollout({ rolloutId, attemptId: attempt.attemptId }, () => tracer.startSpan("answer").end());
  const flushed = processor.forceFlush();
  await runtime.clock.advance(1_000);
  await flushed;
  const { items } = await store.querySpans(rolloutId);
  expect(items.map(({ name, resource: kept }) => [name, kept.attributes])).toEqual([["answer", {}]]);
});
