import {
  InvalidInputError,
  JsonCopier,
  type JsonCopyOptions,
  type Span,
  type SpanContextRecord,
  type SpanEvent,
  type SpanInput,
  type SpanLink,
  type SpanResource,
  type SpanStatus,
  spanStatusCodes,
} from "@agentlightning/core";
import type { SpanDraft } from "./driver.ts";
import { checkId } from "./validate.ts";

const noList: readonly never[] = Object.freeze([]);

/** Fields are set one by one: copying by spread costs a multiple. */
type Building<T> = { -readonly [K in keyof T]: T[K] };

/** What the fixed parts of a span are thought to take, in bytes. */
const baseBytes = 200;

function text(value: unknown, field: string): string {
  if (typeof value === "string") return value;
  throw new InvalidInputError({ message: `span ${field} must be a text, got ${typeof value}`, details: { field } });
}

/** A text of any length, which counts. */
function counted(value: unknown, field: string, copier: JsonCopier): string {
  const checked = text(value, field);
  copier.count(checked.length);
  return checked;
}

function object<T extends object>(value: T, field: string): T {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new InvalidInputError({ message: `span ${field} must be an object`, details: { field } });
}

function flag(value: unknown, field: string): boolean {
  if (typeof value === "boolean") return value;
  throw new InvalidInputError({ message: `span ${field} must be a boolean, got ${typeof value}`, details: { field } });
}

function list<T>(
  value: readonly T[],
  field: string,
  copier: JsonCopier,
  copy: (item: T, copier: JsonCopier) => T,
): readonly T[] {
  if (!Array.isArray(value))
    throw new InvalidInputError({ message: `span ${field} must be a list`, details: { field } });
  return value.length === 0 ? noList : Object.freeze(value.map((item: T) => copy(item, copier)));
}

function instant(value: unknown, field: string): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new InvalidInputError({
    message: `span ${field} must be epoch milliseconds, got ${String(value)}`,
    details: { field },
  });
}

function contextOf(value: SpanContextRecord, field: string, copier: JsonCopier): SpanContextRecord {
  const { traceId, spanId, isRemote, traceState } = object(value, field);
  const states = Object.entries(copier.object(traceState, `${field}.traceState`)).map(([key, state]) => [
    key,
    text(state, `${field}.traceState`),
  ]);
  return Object.freeze({
    traceId: text(traceId, `${field}.traceId`),
    spanId: text(spanId, `${field}.spanId`),
    isRemote: flag(isRemote, `${field}.isRemote`),
    traceState: Object.freeze(Object.fromEntries(states)),
  });
}

function eventOf(event: SpanEvent, copier: JsonCopier): SpanEvent {
  const copy: Building<SpanEvent> = {
    name: counted(object(event, "event").name, "event name", copier),
    attributes: copier.object(event.attributes, "event.attributes"),
  };
  if (event.timestampMs !== undefined) copy.timestampMs = instant(event.timestampMs, "event timestampMs");
  return Object.freeze(copy);
}

function linkOf(link: SpanLink, copier: JsonCopier): SpanLink {
  const copy: Building<SpanLink> = { context: contextOf(object(link, "link").context, "link.context", copier) };
  if (link.attributes !== undefined) copy.attributes = copier.object(link.attributes, "link.attributes");
  return Object.freeze(copy);
}

function resourceOf(resource: SpanResource, copier: JsonCopier): SpanResource {
  const { attributes, schemaUrl } = object(resource, "resource");
  return Object.freeze({
    attributes: copier.object(attributes, "resource.attributes"),
    schemaUrl: counted(schemaUrl, "resource.schemaUrl", copier),
  });
}

function statusOf(status: SpanStatus | undefined, copier: JsonCopier): SpanStatus {
  const statusCode = status?.statusCode;
  if (status === undefined || statusCode === undefined || !spanStatusCodes.includes(statusCode)) {
    throw new InvalidInputError({
      message: `span status.statusCode must be one of ${spanStatusCodes.join(", ")}, got ${statusCode ?? "nothing"}`,
    });
  }
  if (status.description === undefined) return Object.freeze({ statusCode });
  return Object.freeze({ statusCode, description: counted(status.description, "status.description", copier) });
}

/** Checks and copies a span in one pass. @throws invalid_input naming the field, too_large */
export function copySpan(span: SpanInput, options: JsonCopyOptions): SpanDraft {
  if (typeof span !== "object" || span === null) throw new InvalidInputError({ message: "a span must be an object" });
  const { sequenceId } = span;
  if (sequenceId !== undefined && !Number.isSafeInteger(sequenceId)) {
    throw new InvalidInputError({ message: `span sequenceId must be a whole number, got ${String(sequenceId)}` });
  }
  const copier = new JsonCopier(options, baseBytes);
  const copy: Building<Omit<Span, "sequenceId">> & { sequenceId: number | undefined } = {
    rolloutId: checkId(span.rolloutId, "rolloutId"),
    attemptId: checkId(span.attemptId, "attemptId"),
    sequenceId,
    traceId: text(span.traceId, "traceId"),
    spanId: checkId(span.spanId, "spanId"),
    name: counted(span.name, "name", copier),
    status: statusOf(span.status, copier),
    attributes: copier.object(span.attributes, "attributes"),
    events: list(span.events, "events", copier, eventOf),
    links: list(span.links, "links", copier, linkOf),
    resource: resourceOf(span.resource, copier),
  };
  if (span.parentId !== undefined) copy.parentId = text(span.parentId, "parentId");
  if (span.startTimeMs !== undefined) copy.startTimeMs = instant(span.startTimeMs, "startTimeMs");
  if (span.endTimeMs !== undefined) copy.endTimeMs = instant(span.endTimeMs, "endTimeMs");
  if (span.startTimeUnixNano !== undefined) {
    copy.startTimeUnixNano = text(span.startTimeUnixNano, "startTimeUnixNano");
  }
  if (span.endTimeUnixNano !== undefined) copy.endTimeUnixNano = text(span.endTimeUnixNano, "endTimeUnixNano");
  if (span.context !== undefined) copy.context = contextOf(span.context, "context", copier);
  if (span.parent !== undefined) copy.parent = contextOf(span.parent, "parent", copier);
  if (span.extra !== undefined) copy.extra = copier.object(span.extra, "extra");
  return { span: copy, bytes: copier.bytes };
}
