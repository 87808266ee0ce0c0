import type { RolloutRecord } from "@agentlightning/core/lifecycle";

interface Entry {
  readonly rolloutId: string;
  readonly position: number;
}

/**
 * Rollouts in the order of their queue positions. Positions only grow at the tail and only fall at the head, so two
 * lists do; an entry whose rollout has moved on is passed over when its turn comes.
 */
export class WorkQueue {
  #head: Entry[] = [];
  #tail: Entry[] = [];
  #next = 0;

  add(record: RolloutRecord): void {
    const { queuePosition: position } = record;
    if (position === undefined) return;
    const entry = { rolloutId: record.rollout.rolloutId, position };
    if (position < 0) this.#head.push(entry);
    else this.#tail.push(entry);
  }

  /** The oldest rollout that still waits at the place it was put in; it leaves the queue. */
  take(read: (rolloutId: string) => RolloutRecord | undefined): RolloutRecord | undefined {
    for (let entry = this.#shift(); entry !== undefined; entry = this.#shift()) {
      const record = read(entry.rolloutId);
      if (record?.queuePosition === entry.position) return record;
    }
    return undefined;
  }

  #shift(): Entry | undefined {
    const returned = this.#head.pop();
    if (returned !== undefined) return returned;
    const entry = this.#tail[this.#next];
    if (entry === undefined) return undefined;
    this.#next += 1;
    // Cut in bulk, so that a claim costs the same at any length.
    if (this.#next > 1_024 && this.#next * 2 > this.#tail.length) {
      this.#tail = this.#tail.slice(this.#next);
      this.#next = 0;
    }
    return entry;
  }
}
