import type { Span } from "@agentlightning/core";
import type { SpanDraft } from "@agentlightning/store-kit";

/** Up to this many spans are searched one by one: cheaper than an index, in time and in memory. */
const longestUnindexed = 16;

const none: readonly Span[] = [];

/** The spans of one rollout. */
export class SpanShelf {
  readonly #spans: Span[] = [];
  /** Span ids by attempt, once there are many. */
  #ids: Map<string, Set<string>> | undefined;
  /** What the spans are thought to take. */
  bytes = 0;

  get spans(): readonly Span[] {
    return this.#spans;
  }

  /** The drafts that are new, each key once. */
  fresh(drafts: readonly SpanDraft[]): readonly SpanDraft[] {
    const [first] = drafts;
    if (drafts.length === 1 && first !== undefined) return this.#has(first) ? [] : drafts;
    const seen = new Set<string>();
    return drafts.filter((draft) => {
      const key = `${draft.span.attemptId}\u0000${draft.span.spanId}`;
      if (this.#has(draft) || seen.has(key)) return false;
      seen.add(key);
      return true;
    });
  }

  #has({ span: { attemptId, spanId } }: SpanDraft): boolean {
    if (this.#ids !== undefined) return this.#ids.get(attemptId)?.has(spanId) === true;
    for (const span of this.#spans) if (span.spanId === spanId && span.attemptId === attemptId) return true;
    return false;
  }

  add(span: Span, bytes: number): void {
    this.#spans.push(span);
    this.bytes += bytes;
    if (this.#ids !== undefined) this.#index(this.#ids, span);
    else if (this.#spans.length > longestUnindexed) {
      this.#ids = new Map();
      for (const stored of this.#spans) this.#index(this.#ids, stored);
    }
  }

  #index(ids: Map<string, Set<string>>, { attemptId, spanId }: Span): void {
    const known = ids.get(attemptId);
    if (known === undefined) ids.set(attemptId, new Set([spanId]));
    else known.add(spanId);
  }
}

/** The spans of all rollouts, and how many bytes they are thought to take. */
export class SpanShelves {
  readonly #shelves = new Map<string, SpanShelf>();
  spanCount = 0;
  bytes = 0;

  spansOf(rolloutId: string): readonly Span[] {
    return this.#shelves.get(rolloutId)?.spans ?? none;
  }

  /** The shelf of a rollout, put up where there is none. */
  shelfOf(rolloutId: string): SpanShelf {
    const known = this.#shelves.get(rolloutId);
    if (known !== undefined) return known;
    const shelf = new SpanShelf();
    this.#shelves.set(rolloutId, shelf);
    return shelf;
  }

  /** Stores spans made of drafts that are new on a shelf. */
  add(shelf: SpanShelf, spans: readonly Span[], drafts: readonly SpanDraft[]): void {
    let index = 0;
    for (const span of spans) {
      const bytes = drafts[index]?.bytes ?? 0;
      shelf.add(span, bytes);
      this.bytes += bytes;
      index += 1;
    }
    this.spanCount += spans.length;
  }

  drop(rolloutId: string): void {
    const shelf = this.#shelves.get(rolloutId);
    if (shelf === undefined) return;
    this.#shelves.delete(rolloutId);
    this.spanCount -= shelf.spans.length;
    this.bytes -= shelf.bytes;
  }
}
