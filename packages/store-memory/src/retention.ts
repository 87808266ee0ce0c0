import type { MemoryBounds } from "./options.ts";

/** How many dropped ids are remembered, to tell "dropped" from "never seen". */
const rememberedIds = 100_000;

/** Which finished rollouts go, oldest end first, and which are held back because somebody has yet to be told. */
export class Retention {
  readonly #bounds: MemoryBounds;
  /** Finished rollouts by the time they ended, in that order. */
  readonly #finished = new Map<string, number>();
  readonly #held = new Map<string, number>();
  readonly #dropped = new Set<string>();

  constructor(bounds: MemoryBounds) {
    this.#bounds = bounds;
  }

  wasDropped(rolloutId: string): boolean {
    return this.#dropped.has(rolloutId);
  }

  /** Notes that a rollout finished, or runs again (`endTimeMs` unset). */
  note(rolloutId: string, endTimeMs: number | undefined): void {
    if (endTimeMs === undefined) this.#finished.delete(rolloutId);
    else if (!this.#finished.has(rolloutId)) this.#finished.set(rolloutId, endTimeMs);
  }

  hold(rolloutId: string): () => void {
    this.#held.set(rolloutId, (this.#held.get(rolloutId) ?? 0) + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const left = (this.#held.get(rolloutId) ?? 1) - 1;
      if (left === 0) this.#held.delete(rolloutId);
      else this.#held.set(rolloutId, left);
    };
  }

  /** Rollouts past the bounds, oldest end first. */
  *excess(nowMs: number): Generator<string> {
    let over = this.#finished.size - this.#bounds.finishedRollouts;
    for (const [rolloutId, endTimeMs] of this.#finished) {
      if (over <= 0 && nowMs - endTimeMs <= this.#bounds.finishedForMs) return;
      over -= 1;
      if (!this.#held.has(rolloutId)) yield rolloutId;
    }
  }

  /** Finished rollouts that may go when room is needed, oldest end first. */
  *droppable(): Generator<string> {
    for (const rolloutId of this.#finished.keys()) if (!this.#held.has(rolloutId)) yield rolloutId;
  }

  forget(rolloutId: string): void {
    this.#finished.delete(rolloutId);
    this.#dropped.add(rolloutId);
    if (this.#dropped.size <= rememberedIds) return;
    const [oldest] = this.#dropped;
    if (oldest !== undefined) this.#dropped.delete(oldest);
  }
}
