import type { RetentionBounds } from "./retention-options.ts";

/** How many dropped ids are remembered, to tell "dropped" from "never seen". */
const rememberedIds = 100_000;

/** Which finished rollouts go, oldest end first, and which are held back because somebody has yet to be told. */
export class RetentionOrder {
  readonly #bounds: RetentionBounds;
  /** Finished rollouts by the time they ended, in that order. */
  readonly #finished = new Map<string, number>();
  readonly #holds = new Map<string, number>();
  /** Past a bound, but held: they go when they are released, and cost nothing until then. */
  readonly #deferred = new Set<string>();
  readonly #overdue = new Set<string>();
  readonly #dropped = new Set<string>();

  constructor(bounds: RetentionBounds) {
    this.#bounds = bounds;
  }

  wasDropped(rolloutId: string): boolean {
    return this.#dropped.has(rolloutId);
  }

  /** Notes that a rollout finished, or runs again (`endTimeMs` unset). */
  note(rolloutId: string, endTimeMs: number | undefined): void {
    this.#finished.delete(rolloutId);
    this.#deferred.delete(rolloutId);
    this.#overdue.delete(rolloutId);
    if (endTimeMs !== undefined) this.#finished.set(rolloutId, endTimeMs);
  }

  /** Keeps a rollout until released; the release is idempotent. */
  hold(rolloutId: string): () => void {
    this.#holds.set(rolloutId, (this.#holds.get(rolloutId) ?? 0) + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const left = (this.#holds.get(rolloutId) ?? 1) - 1;
      if (left > 0) this.#holds.set(rolloutId, left);
      else {
        this.#holds.delete(rolloutId);
        if (this.#deferred.delete(rolloutId)) this.#overdue.add(rolloutId);
      }
    };
  }

  /** The next rollout past a bound; `undefined` when none has to go. Costs a comparison or two. */
  nextToDrop(nowMs: number): string | undefined {
    for (const rolloutId of this.#overdue) {
      if (!this.#holds.has(rolloutId)) return rolloutId;
      this.#overdue.delete(rolloutId);
      this.#deferred.add(rolloutId);
    }
    for (const [rolloutId, endTimeMs] of this.#finished) {
      const isOver = this.#finished.size > this.#bounds.finishedRollouts;
      if (!isOver && nowMs - endTimeMs <= this.#bounds.finishedForMs) return undefined;
      if (!this.#holds.has(rolloutId)) return rolloutId;
      this.#finished.delete(rolloutId);
      this.#deferred.add(rolloutId);
    }
    return undefined;
  }

  /** Finished rollouts that may go when room is needed, oldest end first. */
  *droppable(): Generator<string> {
    for (const rolloutId of this.#finished.keys()) if (!this.#holds.has(rolloutId)) yield rolloutId;
  }

  forget(rolloutId: string): void {
    this.note(rolloutId, undefined);
    this.#dropped.add(rolloutId);
    if (this.#dropped.size <= rememberedIds) return;
    const [oldest] = this.#dropped;
    if (oldest !== undefined) this.#dropped.delete(oldest);
  }
}
