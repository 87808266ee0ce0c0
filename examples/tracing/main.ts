// Journey 5: only tracing, in an application that exists and has its own OpenTelemetry set-up.
import { findFinalReward } from "@agentlightning/core";
import { emitReward, LightningSpanProcessor, runInRollout } from "@agentlightning/otel";
import { openMemoryStore } from "@agentlightning/store-memory";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";

const store = openMemoryStore();
const processor = new LightningSpanProcessor({ store });
const backend = new InMemorySpanExporter(); // stands for the exporter the application has already

// The application's own set-up, with one line more.
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(backend), processor] });
trace.setGlobalTracerProvider(provider);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

async function handle(request: { question: string }): Promise<string> {
  return trace.getTracer("application").startActiveSpan("handle request", async (span) => {
    span.setAttribute("question", request.question);
    emitReward(0.7);
    span.end();
    return "done";
  });
}

try {
  const { rolloutId, attempt } = await store.startRollout({ input: { question: "What now?" } });
  const identity = { rolloutId, attemptId: attempt.attemptId };
  await runInRollout(identity, () => handle({ question: "What now?" }));
  await processor.forceFlush();
  await store.updateAttempt(rolloutId, attempt.attemptId, { status: "succeeded" });

  const spans = await store.querySpans(rolloutId);
  console.log(`stored: ${spans.items.map((span) => span.name).join(", ")}; reward ${findFinalReward(spans)}`);
  console.log(`the application's own backend has ${backend.getFinishedSpans().length} spans`);
  if (findFinalReward(spans) !== 0.7) throw new Error("the reward did not arrive");
  if (spans.total !== 2) throw new Error(`expected 2 spans, got ${spans.total}`);
} finally {
  await provider.shutdown();
  await store.close();
}
