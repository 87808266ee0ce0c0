import { LightningError, type SpanAttributes, systemRuntime } from "@agentlightning/core";
import {
  type Attributes,
  type AttributeValue,
  isSpanContextValid,
  type Span,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { currentScope } from "./rollout-context.ts";
import { sinkOf } from "./span-processor.ts";
import type { SpanDraft, SpanSink } from "./span-sink.ts";

/** A span that an emitter writes. */
export interface EmittedSpan {
  readonly name: string;
  readonly attributes: SpanAttributes;
  readonly error?: string | undefined;
  readonly startTimeMs?: number | undefined;
}

/** What OpenTelemetry takes: no nested values, lists of one kind. Flattened attributes are that already. */
function toOtelAttributes(attributes: SpanAttributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, value as AttributeValue]));
}

function draftOf(span: Span | undefined, emitted: EmittedSpan): SpanDraft {
  const { clock, ids } = systemRuntime;
  const nowMs = clock.nowMs();
  const own = span === undefined || !isSpanContextValid(span.spanContext()) ? undefined : span.spanContext();
  const parent = trace.getActiveSpan()?.spanContext();
  const hasParent = parent !== undefined && isSpanContextValid(parent);
  const traceId = own?.traceId ?? (hasParent ? parent.traceId : ids.traceId());
  const spanId = own?.spanId ?? ids.spanId();
  return {
    traceId,
    spanId,
    ...(hasParent ? { parentId: parent.spanId } : {}),
    name: emitted.name,
    status: emitted.error === undefined ? { statusCode: "UNSET" } : { statusCode: "ERROR", description: emitted.error },
    attributes: emitted.attributes,
    events: [],
    links: [],
    startTimeMs: emitted.startTimeMs ?? nowMs,
    endTimeMs: nowMs,
    context: { traceId, spanId, isRemote: false, traceState: {} },
    resource: { attributes: {}, schemaUrl: "" },
  };
}

/**
 * Writes one span for the current attempt: through OpenTelemetry where that leads to a store (so that it reaches the
 * application's own backend too), else straight to the attempt. Its number is asked for at once.
 *
 * @throws no_active_rollout when there is neither an attempt nor a recording provider to take it
 */
export function emitSpan(emitted: EmittedSpan): void {
  const scope = currentScope();
  const tracer = scope?.sink?.tracer ?? trace.getTracer("agentlightning");
  const span = tracer.startSpan(emitted.name, {
    attributes: toOtelAttributes(emitted.attributes),
    ...(emitted.startTimeMs === undefined ? {} : { startTime: emitted.startTimeMs }),
  });
  if (emitted.error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: emitted.error });
  const sink = sinkOf(span);
  if (sink === undefined) recordDirectly(scope?.sink, span, emitted);
  else sink.reserve();
  span.end();
}

function recordDirectly(sink: SpanSink | undefined, span: Span, emitted: EmittedSpan): void {
  if (sink !== undefined) {
    const ticket = sink.started();
    sink.reserve();
    sink.ended(ticket, draftOf(span, emitted));
    return;
  }
  if (span.isRecording()) return;
  throw new LightningError({
    code: "no_active_rollout",
    message: `"${emitted.name}" has nowhere to go: call it inside an agent, or inside runInRollout() with a LightningSpanProcessor registered`,
  });
}
