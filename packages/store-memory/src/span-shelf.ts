import { LightningError, type Span } from "@agentlightning/core";
import type { SpanBatch, SpanDraft } from "@agentlightning/store-kit";

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

const noShelf = new Shelf();

/** The spans of all rollouts, and how many bytes they are thought to take. */
export class SpanShelves {
  readonly #shelves = new Map<string, Shelf>();
  spanCount = 0;
  bytes = 0;

  spansOf(rolloutId: string): readonly Span[] {
    return this.#shelves.get(rolloutId)?.spans ?? [];
  }

  /** Of each batch the drafts that are not stored yet. */
  fresh(batches: readonly SpanBatch[]): readonly SpanBatch[] {
    return batches.map(({ rolloutId, drafts }) => ({
      rolloutId,
      drafts: (this.#shelves.get(rolloutId) ?? noShelf).fresh(drafts),
    }));
  }

  /** Numbers and stores drafts that are new; gives the spans and the rollout's counter after them. */
  add({ rolloutId, drafts }: SpanBatch, counterBefore: number): { readonly spans: readonly Span[]; counter: number } {
    const shelf = this.#shelfOf(rolloutId);
    let counter = counterBefore;
    const spans = drafts.map(({ span, bytes }): Span => {
      span.sequenceId ??= counter + 1;
      counter = Math.max(counter, span.sequenceId);
      const numbered = Object.freeze(span) as Span;
      shelf.add(numbered, bytes);
      this.bytes += bytes;
      return numbered;
    });
    this.spanCount += spans.length;
    return { spans, counter };
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

  /** Drops finished rollouts until there is room. @throws store_full */
  makeRoom(bytes: number, most: number, droppable: Iterable<string>, drop: (rolloutId: string) => void): void {
    if (this.bytes + bytes <= most) return;
    for (const rolloutId of droppable) {
      drop(rolloutId);
      if (this.bytes + bytes <= most) return;
    }
    throw new LightningError({
      code: "store_full",
      message: `${this.bytes} bytes of spans belong to rollouts that have not finished; the bound is ${most}. Let them finish, or raise maxTotalSpanBytes`,
    });
  }
}
