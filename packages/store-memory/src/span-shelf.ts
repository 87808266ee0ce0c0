import type { Span } from "@agentlightning/core";
import type { SpanDraft } from "@agentlightning/store-kit";

/** The spans of one rollout. */
class Shelf {
  readonly spans: Span[] = [];
  /** Span ids by attempt. */
  readonly #ids = new Map<string, Set<string>>();
  bytes = 0;

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

  #has({ span }: SpanDraft): boolean {
    return this.#ids.get(span.attemptId)?.has(span.spanId) === true;
  }

  add(span: Span, bytes: number): void {
    this.spans.push(span);
    const ids = this.#ids.get(span.attemptId);
    if (ids === undefined) this.#ids.set(span.attemptId, new Set([span.spanId]));
    else ids.add(span.spanId);
    this.bytes += bytes;
  }
}

const none: readonly Span[] = [];

/** The spans of all rollouts, and how many bytes they are thought to take. */
export class SpanShelves {
  readonly #shelves = new Map<string, Shelf>();
  spanCount = 0;
  bytes = 0;

  spansOf(rolloutId: string): readonly Span[] {
    return this.#shelves.get(rolloutId)?.spans ?? none;
  }

  /** The drafts that are not stored yet. */
  fresh(rolloutId: string, drafts: readonly SpanDraft[]): readonly SpanDraft[] {
    return this.#shelfOf(rolloutId).fresh(drafts);
  }

  /** Stores spans made of drafts that are new. */
  add(rolloutId: string, spans: readonly Span[], drafts: readonly SpanDraft[]): void {
    const shelf = this.#shelfOf(rolloutId);
    let index = 0;
    for (const span of spans) {
      const bytes = drafts[index]?.bytes ?? 0;
      shelf.add(span, bytes);
      this.bytes += bytes;
      index += 1;
    }
    this.spanCount += spans.length;
  }

  #shelfOf(rolloutId: string): Shelf {
    const known = this.#shelves.get(rolloutId);
    if (known !== undefined) return known;
    const shelf = new Shelf();
    this.#shelves.set(rolloutId, shelf);
    return shelf;
  }

  drop(rolloutId: string): void {
    const shelf = this.#shelves.get(rolloutId);
    if (shelf === undefined) return;
    this.#shelves.delete(rolloutId);
    this.spanCount -= shelf.spans.length;
    this.bytes -= shelf.bytes;
  }
}
