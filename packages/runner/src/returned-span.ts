import type {
  IdGenerator,
  JsonObject,
  Span,
  SpanContextRecord,
  SpanEvent,
  SpanInput,
  SpanLink,
  SpanResource,
  SpanStatus,
} from "@agentlightning/core";
import { convertSpan } from "@agentlightning/otel";

/** The least that an agent says about a span that it returns; ids, parent and numbers are added. */
export interface CoreSpan {
  readonly name: string;
  /** @defaultValue UNSET */
  readonly status?: SpanStatus | undefined;
  /** @defaultValue {} */
  readonly attributes?: JsonObject | undefined;
  readonly events?: readonly SpanEvent[] | undefined;
  readonly links?: readonly SpanLink[] | undefined;
  /** Epoch milliseconds. @defaultValue when the agent returned */
  readonly startTimeMs?: number | undefined;
  /** Epoch milliseconds. @defaultValue when the agent returned */
  readonly endTimeMs?: number | undefined;
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  readonly parentId?: string | undefined;
  readonly context?: SpanContextRecord | undefined;
  readonly parent?: SpanContextRecord | undefined;
  readonly resource?: SpanResource | undefined;
}

/** A span of an OpenTelemetry SDK, as an agent may return it. */
export type ReturnedReadableSpan = Parameters<typeof convertSpan>[0];

function isReadable(value: unknown): value is ReturnedReadableSpan {
  if (typeof value !== "object" || value === null || !("spanContext" in value)) return false;
  return typeof value.spanContext === "function" && "startTime" in value && "attributes" in value;
}

/** Where a returned span belongs, whatever it says itself. */
export interface ReturnedSpanOwner {
  readonly rolloutId: string;
  readonly attemptId: string;
  /** Trace of the returned spans that name none. */
  readonly traceId: string;
  readonly nowMs: number;
  readonly ids: IdGenerator;
}

function isSpanLike(value: unknown): value is CoreSpan & Partial<Span> {
  if (typeof value !== "object" || value === null || !("name" in value) || typeof value.name !== "string") return false;
  const nested = (key: string): boolean => {
    const field: unknown = Reflect.get(value, key);
    return field === undefined || (typeof field === "object" && field !== null);
  };
  return nested("attributes") && nested("status") && nested("events") && nested("links");
}

/** Makes a full span of one that an agent returned; `undefined` for what is none. */
export function completeSpan(value: unknown, owner: ReturnedSpanOwner): SpanInput | undefined {
  if (isReadable(value)) {
    return { ...convertSpan(value), rolloutId: owner.rolloutId, attemptId: owner.attemptId };
  }
  if (!isSpanLike(value)) return undefined;
  return {
    ...value,
    rolloutId: owner.rolloutId,
    attemptId: owner.attemptId,
    traceId: value.traceId ?? owner.traceId,
    spanId: value.spanId ?? owner.ids.spanId(),
    status: value.status ?? { statusCode: "UNSET" },
    attributes: value.attributes ?? {},
    events: value.events ?? [],
    links: value.links ?? [],
    startTimeMs: value.startTimeMs ?? value.endTimeMs ?? owner.nowMs,
    endTimeMs: value.endTimeMs ?? owner.nowMs,
    resource: value.resource ?? { attributes: {}, schemaUrl: "" },
  } satisfies SpanInput;
}
