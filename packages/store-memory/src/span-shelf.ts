import type { Span } from "@agentlightning/core";
import type { SpanDraft } from "@agentlightning/store-kit";

/** The spans of one rollout. */
export class SpanShelf {
  readonly #spans: Span[] = [];
  readonly #keys = new Set<string>();
  bytes = 0;

  get size(): number {
    return this.#spans.length;
  }

  get spans(): readonly Span[] {
    return this.#spans;
  }

  /** The drafts that are new, each key once. */
  fresh(drafts: readonly SpanDraft[]): readonly SpanDraft[] {
    if (drafts.length === 1) {
      const [only] = drafts;
      return only !== undefined && this.#keys.has(keyOf(only.span)) ? [] : drafts;
    }
    const seen = new Set<string>();
    return drafts.filter(({ span }) => {
      const key = keyOf(span);
      if (this.#keys.has(key) || seen.has(key)) return false;
      seen.add(key);
      return true;
    });
  }

  add(span: Span, bytes: number): void {
    this.#spans.push(span);
    this.#keys.add(keyOf(span));
    this.bytes += bytes;
  }
}

function keyOf(span: Pick<Span, "attemptId" | "spanId">): string {
  return `${span.attemptId}\u0000${span.spanId}`;
}
