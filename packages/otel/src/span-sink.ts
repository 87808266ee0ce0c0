import type { SpanInput } from "@agentlightning/core";
import type { Tracer } from "@opentelemetry/api";

/** A span's place in the start order of its attempt. */
export interface StartTicket {
  readonly order: number;
  /** Set once a number was asked of the store for it. */
  sequenceId?: Promise<number | undefined>;
}

/** A span on its way, without what the sink adds. */
export type SpanDraft = Omit<SpanInput, "rolloutId" | "attemptId" | "sequenceId">;

/** Takes the spans of one attempt. */
export interface SpanSink {
  /** Where spans for this attempt are made; a no-op tracer when no SDK is installed. */
  readonly tracer: Tracer;
  /** Notes the start; `peek` gives the span as it stands, should it never end. */
  started(peek?: () => SpanDraft): StartTicket;
  /** Takes the ended span, once per ticket. */
  ended(ticket: StartTicket, draft: SpanDraft): void;
  /** Asks the store for the numbers of everything started so far, so that what starts later comes later. */
  reserve(): void;
}
