import type { SpanContextRecord, SpanStatusCode } from "@agentlightning/core";
import { type HrTime, isValidSpanId, type SpanContext, SpanStatusCode as OtelStatusCode } from "@opentelemetry/api";
import { toAttributes } from "./attribute-value.ts";
import type { ReadableSpanLike } from "./readable-span.ts";
import type { SpanDraft } from "./span-sink.ts";

const noResource = Object.freeze({ attributes: Object.freeze({}), schemaUrl: "" });

function toMs([seconds, nanos]: HrTime): number {
  return seconds * 1_000 + nanos / 1_000_000;
}

function toUnixNano([seconds, nanos]: HrTime): string {
  return `${BigInt(seconds) * 1_000_000_000n + BigInt(Math.round(nanos))}`;
}

function isSet([seconds, nanos]: HrTime): boolean {
  return seconds !== 0 || nanos !== 0;
}

function toStatusCode(code: OtelStatusCode): SpanStatusCode {
  if (code === OtelStatusCode.OK) return "OK";
  return code === OtelStatusCode.ERROR ? "ERROR" : "UNSET";
}

function toTraceState(context: SpanContext): Readonly<Record<string, string>> {
  const entries = context.traceState?.serialize().split(",") ?? [];
  return Object.fromEntries(
    entries.flatMap((entry) => {
      const at = entry.indexOf("=");
      return at > 0 ? [[entry.slice(0, at), entry.slice(at + 1)]] : [];
    }),
  );
}

function toContext(context: SpanContext): SpanContextRecord {
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    isRemote: context.isRemote ?? false,
    traceState: toTraceState(context),
  };
}

/** The parent's span id; an all-zero one is no parent. */
export function parentIdOf(span: Pick<ReadableSpanLike, "parentSpanContext" | "parentSpanId">): string | undefined {
  const id = span.parentSpanContext?.spanId ?? span.parentSpanId;
  return id !== undefined && isValidSpanId(id) ? id : undefined;
}

/** Resource attributes as they stand; reading pending ones would make the SDK complain. */
export function toResource(span: ReadableSpanLike): SpanDraft["resource"] {
  const { resource } = span;
  if (resource === undefined || resource.asyncAttributesPending === true) return noResource;
  return { attributes: toAttributes(resource.attributes), schemaUrl: resource.schemaUrl ?? "" };
}

/** A span of an OpenTelemetry SDK as a store keeps it; times exact to the nanosecond where the SDK had them. */
export function convertSpan(span: ReadableSpanLike): SpanDraft {
  const context = span.spanContext();
  const parentId = parentIdOf(span);
  const { parentSpanContext, status } = span;
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(parentId === undefined ? {} : { parentId }),
    name: span.name,
    status: {
      statusCode: toStatusCode(status.code),
      ...(status.message === undefined || status.message === "" ? {} : { description: status.message }),
    },
    attributes: toAttributes(span.attributes),
    events: span.events.map((event) => ({
      name: event.name,
      attributes: toAttributes(event.attributes),
      timestampMs: toMs(event.time),
    })),
    links: span.links.map((link) => ({
      context: toContext(link.context),
      ...(link.attributes === undefined ? {} : { attributes: toAttributes(link.attributes) }),
    })),
    startTimeMs: toMs(span.startTime),
    startTimeUnixNano: toUnixNano(span.startTime),
    ...(isSet(span.endTime) ? { endTimeMs: toMs(span.endTime), endTimeUnixNano: toUnixNano(span.endTime) } : {}),
    context: toContext(context),
    ...(parentId !== undefined && parentSpanContext !== undefined ? { parent: toContext(parentSpanContext) } : {}),
    resource: toResource(span),
  };
}

/** A span that has not ended when its attempt does: kept as it stands, and said to be incomplete. */
export function convertOpenSpan(span: ReadableSpanLike): SpanDraft {
  const draft = convertSpan(span);
  return {
    ...draft,
    status: { statusCode: "ERROR", description: "incomplete: the span was still open when its attempt ended" },
  };
}
