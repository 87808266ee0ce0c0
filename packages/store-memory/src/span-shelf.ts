import { LightningError, type Span } from "@agentlightning/core";
import type { SpanBatch, SpanDraft } from "@agentlightning/store-kit";

/** The spans of one rollout. */
class Shelf {
  readonly spans: Span[] = [];
  readonly #keys = new Set<string>();
  bytes = 0;

  /** The drafts that are new, each key once. */
  fresh(drafts: readonly SpanDraft[]): readonly SpanDraft[] {
    const [first] = drafts;
    if (drafts.length === 1 && first !== undefined) return this.#keys.has(keyOf(first.span)) ? [] : drafts;
    const seen = new Set<string>();
    return drafts.filter(({ span }) => {
      const key = keyOf(span);
      if (this.#keys.has(key) || seen.has(key)) return false;
      seen.add(key);
      return true;
    });
  }

  add(span: Span, bytes: number): void {
    this.spans.push(span);
    this.#keys.add(keyOf(span));
    this.bytes += bytes;
  }
}

function keyOf(span: Pick<Span, "attemptId" | "spanId">): string {
  return `${span.attemptId}\u0000${span.spanId}`;
}

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
      drafts: (this.#shelves.get(rolloutId) ?? new Shelf()).fresh(drafts),
    }));
  }

  /** Numbers and stores drafts that are new; gives the spans and the rollout's counter after them. */
  add({ rolloutId, drafts }: SpanBatch, counterBefore: number): { readonly spans: readonly Span[]; counter: number } {
    const shelf = this.#shelves.get(rolloutId) ?? new Shelf();
    let counter = counterBefore;
    const spans = drafts.map(({ span, bytes }): Span => {
      const sequenceId = span.sequenceId ?? counter + 1;
      counter = Math.max(counter, sequenceId);
      const numbered = Object.freeze({ ...span, sequenceId });
      shelf.add(numbered, bytes);
      this.bytes += bytes;
      return numbered;
    });
    this.spanCount += spans.length;
    this.#shelves.set(rolloutId, shelf);
    return { spans, counter };
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
