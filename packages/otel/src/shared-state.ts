import type { Span } from "@opentelemetry/api";
import type { RolloutScope } from "./rollout-context.ts";
import type { SpanSink } from "./span-sink.ts";

/** A processor that knows a store by itself. */
export interface StoreProcessor {
  sinkFor(scope: RolloutScope): SpanSink | undefined;
}

interface SharedState {
  /** Living processors with a store, in the order they were made. */
  readonly processors: Set<StoreProcessor>;
  /** Which attempt a span went to when it started. */
  readonly sinks: WeakMap<object, SpanSink>;
}

const key = Symbol.for("agentlightning.otel.shared");
const holder = globalThis as { [key]?: SharedState };

/** One state per process, whatever the number of copies of this package. */
export const shared: SharedState = (holder[key] ??= { processors: new Set(), sinks: new WeakMap() });

/** The sink that a span goes to, if one of our processors saw it start. */
export function sinkOf(span: Span): SpanSink | undefined {
  return shared.sinks.get(span);
}

/** Where a scope's spans go: to the attempt that runs it, else to the processor with a store that was made last. */
export function sinkOfScope(scope: RolloutScope): SpanSink | undefined {
  return scope.sink ?? [...shared.processors].at(-1)?.sinkFor(scope);
}
