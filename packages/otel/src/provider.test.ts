import { openMemoryStore } from "@agentlightning/store-memory";
import { context, ROOT_CONTEXT, type TracerProvider, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterEach, expect, test } from "vitest";
import { AttemptTrace, emitReward, LightningSpanProcessor } from "./index.ts";
import { acquireTracing, createLightningProvider, type TracingLease } from "./provider.ts";

afterEach(() => {
  trace.disable();
  context.disable();
});

/** What is registered, or `undefined`. */
function registeredProvider(): TracerProvider | undefined {
  const provider = trace.getTracerProvider() as TracerProvider & { getDelegate?: () => TracerProvider };
  const delegate = provider.getDelegate?.() ?? provider;
  return "forceFlush" in delegate ? delegate : undefined;
}

async function runAttempt(tracing: TracingLease, agent: () => void) {
  const store = openMemoryStore();
  const { rolloutId, attempt } = await store.startRollout({ input: 1 });
  const attempted = new AttemptTrace({ store, identity: { rolloutId, attemptId: attempt.attemptId }, tracing });
  attempted.run(agent);
  await attempted.flush();
  return (await store.querySpans(rolloutId)).items.map(({ name }) => name);
}

test("without a provider ours is registered while leased, and the last release leaves the globals as they were", async () => {
  const [first, second] = await Promise.all([acquireTracing(), acquireTracing()]);
  expect([first.mode, second.mode, first.warning]).toEqual(["own_global", "own_global", undefined]);
  expect(registeredProvider()).toBe(await createLightningProvider());
  await first.release();
  await first.release();
  expect(registeredProvider()).toBe(await createLightningProvider());
  await second.release();
  expect(registeredProvider()).toBeUndefined();
  expect(context.setGlobalContextManager(new AsyncLocalStorageContextManager())).toBe(true);
});

test("start, stop and start again delivers each span once, also from a tracer that a library kept", async () => {
  const first = await acquireTracing();
  const kept = trace.getTracer("library");
  const agent = (): void => kept.startSpan("library span").end();
  expect(await runAttempt(first, agent)).toEqual(["library span"]);
  await first.release();
  const second = await acquireTracing();
  expect(await runAttempt(second, agent)).toEqual(["library span"]);
  await second.release();
});

test("our provider records whatever OTEL_TRACES_SAMPLER and a parent that is not sampled say about the application's backend", async () => {
  const before = process.env["OTEL_TRACES_SAMPLER"];
  process.env["OTEL_TRACES_SAMPLER"] = "always_off";
  try {
    const { loadSdk } = await import("./load-sdk.ts");
    const provider = await loadSdk(new LightningSpanProcessor());
    const parent = { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags: 0, isRemote: true };
    const tracer = provider?.getTracer("test");
    const root = tracer?.startSpan("root");
    const child = tracer?.startSpan("child", {}, trace.setSpanContext(ROOT_CONTEXT, parent));
    expect([root?.isRecording(), child?.isRecording()]).toEqual([true, true]);
  } finally {
    if (before === undefined) delete process.env["OTEL_TRACES_SAMPLER"];
    else process.env["OTEL_TRACES_SAMPLER"] = before;
  }
});

test("a provider that lists the processor is joined, and a reward goes to both backends once", async () => {
  const exporter = new InMemorySpanExporter();
  const theirs = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter), new LightningSpanProcessor()],
  });
  trace.setGlobalTracerProvider(theirs);
  const lease = await acquireTracing();
  expect([lease.mode, lease.warning]).toEqual(["joined", undefined]);
  expect(await runAttempt(lease, () => emitReward(1))).toEqual(["agentlightning.annotation"]);
  expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(["agentlightning.annotation"]);
  await lease.release();
  expect(registeredProvider()).toBe(theirs);
});

test("a provider without the processor is left as it was: it gets its spans, ours arrive through our own", async () => {
  const exporter = new InMemorySpanExporter();
  const theirs = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(theirs);
  const lease = await acquireTracing();
  expect([lease.mode, lease.warning?.code]).toEqual(["own_private", "bridge_not_registered"]);
  const names = await runAttempt(lease, () => {
    lease.tracer.startSpan("ours").end();
    trace.getTracer("app").startSpan("theirs").end();
    emitReward(1);
  });
  expect(names).toEqual(["ours", "agentlightning.annotation"]);
  expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(["theirs"]);
  await lease.release();
  expect(registeredProvider()).toBe(theirs);
});

test("what the application registers after ours was taken away stays registered", async () => {
  const lease = await acquireTracing();
  trace.disable();
  context.disable();
  const theirs = new BasicTracerProvider();
  trace.setGlobalTracerProvider(theirs);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  await lease.release();
  expect(registeredProvider()).toBe(theirs);
  expect(context.setGlobalContextManager(new AsyncLocalStorageContextManager())).toBe(false);
});

test("a provider that only another copy of the API can reach is said to be that", async () => {
  const key = Symbol.for("opentelemetry.js.api.1");
  const globals = globalThis as { [key]?: object };
  const before = globals[key];
  globals[key] = { version: "0.0.1", trace: new BasicTracerProvider() };
  try {
    const lease = await acquireTracing();
    expect([lease.mode, lease.warning?.code]).toEqual(["own_private", "otel_api_duplicate"]);
    await lease.release();
  } finally {
    if (before === undefined) delete globals[key];
    else globals[key] = before;
  }
});
