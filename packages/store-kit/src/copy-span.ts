import {
  copyJsonObject,
  InvalidInputError,
  type JsonCopyOptions,
  type SpanContextRecord,
  type SpanEvent,
  type SpanInput,
  type SpanLink,
  type SpanResource,
  spanStatusCodes,
} from "@agentlightning/core";
import type { SpanDraft } from "./driver.ts";
import { checkId } from "./validate.ts";

const noList: readonly never[] = Object.freeze([]);

/** Counts what the parts of a span take, against the bound of the whole. */
interface Tally {
  bytes: number;
  readonly options: JsonCopyOptions;
}

function attributes(value: unknown, subject: string, tally: Tally) {
  const maxBytes = tally.options.maxBytes === undefined ? {} : { maxBytes: tally.options.maxBytes - tally.bytes };
  const copy = copyJsonObject(value, subject, { ...tally.options, ...maxBytes });
  tally.bytes += copy.bytes;
  return copy.value;
}

function text(value: unknown, field: string): string {
  if (typeof value === "string") return value;
  throw new InvalidInputError({ message: `span ${field} must be a text, got ${typeof value}`, details: { field } });
}

function object<T extends object>(value: T, field: string): T {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new InvalidInputError({ message: `span ${field} must be an object`, details: { field } });
}

function flag(value: unknown, field: string): boolean {
  if (typeof value === "boolean") return value;
  throw new InvalidInputError({ message: `span ${field} must be a boolean, got ${typeof value}`, details: { field } });
}

function list<T>(value: readonly T[], field: string, copy: (item: T) => T): readonly T[] {
  if (!Array.isArray(value))
    throw new InvalidInputError({ message: `span ${field} must be a list`, details: { field } });
  return value.length === 0 ? noList : Object.freeze(value.map(copy));
}

function instant(value: unknown, field: string): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new InvalidInputError({
    message: `span ${field} must be epoch milliseconds, got ${String(value)}`,
    details: { field },
  });
}

function contextOf(value: SpanContextRecord, field: string): SpanContextRecord {
  const { traceId, spanId, isRemote, traceState } = object(value, field);
  const states = Object.entries(object(traceState, `${field}.traceState`)).map(([key, state]) => [
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

function eventOf(event: SpanEvent, tally: Tally): SpanEvent {
  return Object.freeze({
    name: text(object(event, "event").name, "event name"),
    attributes: attributes(event.attributes, "event.attributes", tally),
    ...(event.timestampMs === undefined ? {} : { timestampMs: instant(event.timestampMs, "event timestampMs") }),
  });
}

function linkOf(link: SpanLink, tally: Tally): SpanLink {
  return Object.freeze({
    context: contextOf(object(link, "link").context, "link.context"),
    ...(link.attributes === undefined ? {} : { attributes: attributes(link.attributes, "link.attributes", tally) }),
  });
}

function resourceOf(resource: SpanResource, tally: Tally): SpanResource {
  const { attributes: given, schemaUrl } = object(resource, "resource");
  return Object.freeze({
    attributes: attributes(given, "resource.attributes", tally),
    schemaUrl: text(schemaUrl, "resource.schemaUrl"),
  });
}

/** Checks and copies a span in one pass. @throws invalid_input naming the field, too_large */
export function copySpan(span: SpanInput, options: JsonCopyOptions): SpanDraft {
  if (typeof span !== "object" || span === null) throw new InvalidInputError({ message: "a span must be an object" });
  const tally: Tally = { bytes: 200, options };
  if (!spanStatusCodes.includes(span.status?.statusCode)) {
    throw new InvalidInputError({
      message: `span status.statusCode must be one of ${spanStatusCodes.join(", ")}, got ${span.status?.statusCode ?? "nothing"}`,
    });
  }
  if (span.sequenceId !== undefined && !Number.isSafeInteger(span.sequenceId)) {
    throw new InvalidInputError({ message: `span sequenceId must be a whole number, got ${String(span.sequenceId)}` });
  }
  const name = text(span.name, "name");
  tally.bytes += name.length;
  const copy = {
    rolloutId: checkId(span.rolloutId, "rolloutId"),
    attemptId: checkId(span.attemptId, "attemptId"),
    ...(span.sequenceId === undefined ? {} : { sequenceId: span.sequenceId }),
    traceId: text(span.traceId, "traceId"),
    spanId: checkId(span.spanId, "spanId"),
    ...(span.parentId === undefined ? {} : { parentId: text(span.parentId, "parentId") }),
    name,
    status: Object.freeze({
      statusCode: span.status.statusCode,
      ...(span.status.description === undefined
        ? {}
        : { description: text(span.status.description, "status.description") }),
    }),
    attributes: attributes(span.attributes, "attributes", tally),
    events: list(span.events, "events", (event) => eventOf(event, tally)),
    links: list(span.links, "links", (link) => linkOf(link, tally)),
    ...(span.startTimeMs === undefined ? {} : { startTimeMs: instant(span.startTimeMs, "startTimeMs") }),
    ...(span.endTimeMs === undefined ? {} : { endTimeMs: instant(span.endTimeMs, "endTimeMs") }),
    ...(span.startTimeUnixNano === undefined
      ? {}
      : { startTimeUnixNano: text(span.startTimeUnixNano, "startTimeUnixNano") }),
    ...(span.endTimeUnixNano === undefined ? {} : { endTimeUnixNano: text(span.endTimeUnixNano, "endTimeUnixNano") }),
    ...(span.context === undefined ? {} : { context: contextOf(span.context, "context") }),
    ...(span.parent === undefined ? {} : { parent: contextOf(span.parent, "parent") }),
    resource: resourceOf(span.resource, tally),
    ...(span.extra === undefined ? {} : { extra: attributes(span.extra, "extra", tally) }),
  };
  return { span: copy, bytes: tally.bytes };
}
