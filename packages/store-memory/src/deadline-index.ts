interface Entry {
  readonly rolloutId: string;
  readonly deadlineMs: number;
}

/** Stale entries are let be until they outnumber the true ones by this. */
const staleAllowance = 1_024;

/** The earliest of many deadlines. Entries are lazy: one that moved later is found out when it comes up. */
export class DeadlineIndex {
  #heap: Entry[] = [];
  readonly #entered = new Map<string, number>();
  readonly #trueDeadlineMs: (rolloutId: string) => number | undefined;

  constructor(trueDeadlineMs: (rolloutId: string) => number | undefined) {
    this.#trueDeadlineMs = trueDeadlineMs;
  }

  /** Notes a rollout's deadline, or that it has none. */
  note(rolloutId: string, deadlineMs: number | undefined): void {
    const entered = this.#entered.get(rolloutId);
    if (deadlineMs === undefined) {
      if (entered !== undefined) this.#entered.delete(rolloutId);
      return;
    }
    // An earlier entry will come up first and be put right then.
    if (entered !== undefined && entered <= deadlineMs) return;
    this.#entered.set(rolloutId, deadlineMs);
    if (this.#heap.length > 2 * this.#entered.size + staleAllowance) this.#dropStale();
    this.#heap.push({ rolloutId, deadlineMs });
    this.#rise(this.#heap.length - 1);
  }

  /** The earliest true deadline; drops entries that no longer say the truth. */
  earliest(): Entry | undefined {
    for (let top = this.#heap[0]; top !== undefined; top = this.#heap[0]) {
      const truth =
        this.#entered.get(top.rolloutId) === top.deadlineMs ? this.#trueDeadlineMs(top.rolloutId) : undefined;
      if (truth === top.deadlineMs) return top;
      this.removeTop();
      if (truth !== undefined) this.note(top.rolloutId, truth);
    }
    return undefined;
  }

  #dropStale(): void {
    const entries = this.#heap.filter(({ rolloutId, deadlineMs }) => this.#entered.get(rolloutId) === deadlineMs);
    // A sorted array is a heap.
    this.#heap = entries.toSorted((a, b) => a.deadlineMs - b.deadlineMs);
  }

  /** Drops the entry that comes first. */
  removeTop(): void {
    const top = this.#heap[0];
    const last = this.#heap.pop();
    if (top === undefined || last === undefined) return;
    if (this.#entered.get(top.rolloutId) === top.deadlineMs) this.#entered.delete(top.rolloutId);
    if (this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sink(0);
  }

  #rise(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIfEarlier(index, parent)) return;
      index = parent;
    }
  }

  #sink(from: number): void {
    let index = from;
    for (;;) {
      const left = 2 * index + 1;
      const right = left + 1;
      const smaller = this.#deadline(right) < this.#deadline(left) ? right : left;
      if (!this.#swapIfEarlier(smaller, index)) return;
      index = smaller;
    }
  }

  #deadline(index: number): number {
    return this.#heap[index]?.deadlineMs ?? Number.POSITIVE_INFINITY;
  }

  #swapIfEarlier(lower: number, upper: number): boolean {
    const lowerEntry = this.#heap[lower];
    const upperEntry = this.#heap[upper];
    if (lowerEntry === undefined || upperEntry === undefined || lowerEntry.deadlineMs >= upperEntry.deadlineMs)
      return false;
    this.#heap[lower] = upperEntry;
    this.#heap[upper] = lowerEntry;
    return true;
  }
}
