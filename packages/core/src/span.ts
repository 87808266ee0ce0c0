import type { JsonObject, JsonValue } from "./json.ts";

/** Status codes of a span. */
export const spanStatusCodes = ["UNSET", "OK", "ERROR"] as const;
export type SpanStatusCode = (typeof spanStatusCodes)[number];

export interface SpanStatus {
  readonly statusCode: SpanStatusCode;
  readonly description?: string;
}

/** Attributes of a span, event, link or resource; nested values are accepted, as in the reference. */
export type SpanAttributes = JsonObject;

export interface SpanEvent {
  readonly name: string;
  readonly attributes: SpanAttributes;
  readonly timestampMs?: number;
}

export interface SpanContextRecord {
  readonly traceId: string;
  readonly spanId: string;
  readonly isRemote: boolean;
  readonly traceState: Readonly<Record<string, string>>;
}

export interface SpanLink {
  readonly context: SpanContextRecord;
  readonly attributes?: SpanAttributes;
}

export interface SpanResource {
  readonly attributes: SpanAttributes;
  readonly schemaUrl: string;
}

/** A span as a store keeps it. Key: rollout, attempt, span id. */
export interface Span {
  readonly rolloutId: string;
  readonly attemptId: string;
  /** Order within the rollout; consecutive unless something failed. */
  readonly sequenceId: number;
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** 16 lower-case hex digits. */
  readonly spanId: string;
  readonly parentId?: string;
  readonly name: string;
  readonly status: SpanStatus;
  readonly attributes: SpanAttributes;
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
  /** Epoch milliseconds with fractions. */
  readonly startTimeMs?: number;
  readonly endTimeMs?: number;
  /** Exact times as decimal strings, where the source had them. */
  readonly startTimeUnixNano?: string;
  readonly endTimeUnixNano?: string;
  readonly context?: SpanContextRecord;
  readonly parent?: SpanContextRecord;
  readonly resource: SpanResource;
  /** Fields a writer added that are none of ours; kept and returned. */
  readonly extra?: Readonly<Record<string, JsonValue>>;
}

/** A span on its way into a store: without `sequenceId` the store gives the next number of its rollout. */
export type SpanInput = Omit<Span, "sequenceId"> & { readonly sequenceId?: number | undefined };
