import { LightningError, type SpanAttributes, systemRuntime } from "@agentlightning/core";
import { type Attributes, type AttributeValue, context, type Span, SpanStatusCode, trace } from "@opentelemetry/api";
import { currentScope, type ParentIds, type RolloutScope, runInScope } from "./rollout-context.ts";
import { sinkOf, sinkOfScope } from "./shared-state.ts";
import type { SpanDraft, SpanSink } from "./span-sink.ts";

/** What an emitter knows when its span ends. */
export interface EmittedEnd {
  readonly attributes?: SpanAttributes | undefined;
  readonly error?: string | undefined;
}

/** A span that an emitter writes. */
export interface EmittedSpan extends EmittedEnd {
  readonly name: string;
  readonly attributes: SpanAttributes;
}

/** A span that an emitter has open. */
export interface OpenEmittedSpan {
  /** Runs `fn` so that what starts inside stands under this span. */
  run<T>(fn: () => T): T;
  end(last?: EmittedEnd): void;
}

/** What OpenTelemetry takes: no nested values, lists of one kind. Flattened attributes are that already. */
function toOtelAttributes(attributes: SpanAttributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, value as AttributeValue]));
}

function openThroughOtel(span: Span): OpenEmittedSpan {
  return {
    run: (fn) => context.with(trace.setSpan(context.active(), span), fn),
    end: ({ attributes, error } = {}) => {
      if (attributes !== undefined) span.setAttributes(toOtelAttributes(attributes));
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
      span.end();
    },
  };
}

/** A parent that the store has as well: another would only be a broken link. */
function parentFor(sink: SpanSink, scope: RolloutScope): ParentIds | undefined {
  const active = trace.getActiveSpan();
  if (active !== undefined && sinkOf(active) === sink) return active.spanContext();
  return scope.parent;
}

/** A span without an SDK: its record goes straight to the attempt. */
function openDirectly(sink: SpanSink, scope: RolloutScope, opened: EmittedSpan, foreign: Span): OpenEmittedSpan {
  const { clock, ids } = systemRuntime;
  const parent = parentFor(sink, scope);
  // One id for the same span in the application's backend and here. One that does not record may have its parent's.
  const { traceId, spanId } = foreign.isRecording()
    ? foreign.spanContext()
    : { traceId: parent?.traceId ?? ids.traceId(), spanId: ids.spanId() };
  const own: ParentIds = { traceId, spanId };
  const startTimeMs = clock.nowMs();
  const draft = ({ attributes, error }: EmittedEnd): SpanDraft => ({
    ...own,
    ...(parent === undefined ? {} : { parentId: parent.spanId }),
    name: opened.name,
    status: error === undefined ? { statusCode: "UNSET" } : { statusCode: "ERROR", description: error },
    attributes: { ...opened.attributes, ...attributes },
    events: [],
    links: [],
    startTimeMs,
    endTimeMs: clock.nowMs(),
    context: { ...own, isRemote: false, traceState: {} },
    resource: { attributes: {}, schemaUrl: "" },
  });
  const ticket = sink.started(() =>
    draft({ error: "incomplete: the operation was still open when its attempt ended" }),
  );
  sink.reserve();
  return {
    run: (fn) => runInScope({ ...scope, parent: own }, fn),
    end: (last = {}) => sink.ended(ticket, draft(last)),
  };
}

/**
 * Opens one span of the current attempt: through OpenTelemetry where that leads to a store (so that it reaches the
 * application's own backend too), else straight to the attempt. Its number is asked for at once.
 *
 * @throws no_active_rollout when there is neither an attempt nor a recording provider to take it
 */
export function openSpan(opened: EmittedSpan): OpenEmittedSpan {
  const scope = currentScope();
  const tracer = scope?.sink?.tracer ?? trace.getTracer("agentlightning");
  const span = tracer.startSpan(opened.name, { attributes: toOtelAttributes(opened.attributes) });
  const throughOtel = sinkOf(span);
  throughOtel?.reserve();
  if (throughOtel !== undefined) return openThroughOtel(span);
  const sink = scope === undefined ? undefined : sinkOfScope(scope);
  if (scope !== undefined && sink !== undefined) {
    const direct = openDirectly(sink, scope, opened, span);
    if (!span.isRecording()) return direct;
    // The application's own backend sees it too, although its provider does not lead to us.
    const foreign = openThroughOtel(span);
    return {
      run: (fn) => foreign.run(() => direct.run(fn)),
      end: (last) => {
        foreign.end(last);
        direct.end(last);
      },
    };
  }
  if (span.isRecording()) return openThroughOtel(span);
  throw new LightningError({
    code: "no_active_rollout",
    message: `"${opened.name}" has nowhere to go: call it inside an agent, or inside runInRollout() with a LightningSpanProcessor that has a store`,
  });
}

/** Writes one span of the current attempt. @throws no_active_rollout */
export function emitSpan({ name, attributes, error }: EmittedSpan): void {
  openSpan({ name, attributes }).end({ error });
}
