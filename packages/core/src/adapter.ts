import type { Span } from "./span.ts";

/** Turns the spans of one attempt into what an algorithm learns from. */
export interface TraceAdapter<T = unknown> {
  adapt(spans: Iterable<Span>): T;
}
