import { isSpanContextValid, trace } from "@opentelemetry/api";
import { registeredGlobals } from "./registered-globals.ts";
import { runInScope } from "./rollout-context.ts";
import { sinkOf } from "./shared-state.ts";
import type { SpanDraft, SpanSink, StartTicket } from "./span-sink.ts";

/** What is registered: nothing; a provider that leads to a processor of ours; one that does not; one that only another copy of the API can reach. */
export type FoundProvider = "absent" | "ours" | "foreign" | "unreachable";

/** Asks the registered provider for a span. The span is never ended, so no exporter sees it. */
export function probeProvider(): FoundProvider {
  const { trace: registered } = registeredGlobals();
  if (registered !== undefined && trace.getTracerProvider() !== registered) return "unreachable";
  const tracer = trace.getTracer("agentlightning");
  let forget: (() => unknown) | undefined;
  const started = (peek?: () => SpanDraft): StartTicket => {
    forget = peek;
    return { order: 0 };
  };
  const sink: SpanSink = { tracer, started, ended: () => undefined, reserve: () => undefined };
  const scope = { identity: { rolloutId: "probe", attemptId: "probe" }, sink };
  const span = runInScope(scope, () => tracer.startSpan("agentlightning.probe", { root: true }));
  // The processor need not wait for this span's end.
  forget?.();
  if (sinkOf(span) !== undefined) return "ours";
  return isSpanContextValid(span.spanContext()) ? "foreign" : "absent";
}
