import type { RolloutRecord } from "@agentlightning/core/lifecycle";

interface Entry {
  readonly rolloutId: string;
  readonly position: number;
}

type Read = (rolloutId: string) => RolloutRecord | undefined;

/** Stale entries are let be until they outnumber the true ones by this. */
const staleAllowance = 1_024;

/** First in, first out; taking costs the same at any length. */
class EntryList {
  #entries: Entry[] = [];
  #next = 0;

  get length(): number {
    return this.#entries.length - this.#next;
  }

  push(entry: Entry): void {
    this.#entries.push(entry);
  }

  shift(): Entry | undefined {
    const entry = this.#entries[this.#next];
    if (entry === undefined) return undefined;
    this.#next += 1;
    // Cut in bulk.
    if (this.#next > 1_024 && this.#next * 2 > this.#entries.length) this.keep(() => true);
    return entry;
  }

  keep(isTrue: (entry: Entry) => boolean): void {
    this.#entries = this.#entries.slice(this.#next).filter(isTrue);
    this.#next = 0;
  }
}

/**
 * Rollouts in the order of their queue positions: those handed back (negative positions), then the others. Positions
 * only grow within each, so two lists do; an entry whose rollout has moved on is passed over when its turn comes.
 */
export class WorkQueue {
  readonly #returned = new EntryList();
  readonly #others = new EntryList();
  readonly #read: Read;

  constructor(read: Read) {
    this.#read = read;
  }

  /** @param waiting - How many rollouts wait in truth, to know when stale entries have to go. */
  add(record: RolloutRecord, waiting: number): void {
    const { queuePosition: position } = record;
    if (position === undefined) return;
    const list = position < 0 ? this.#returned : this.#others;
    list.push({ rolloutId: record.rollout.rolloutId, position });
    if (this.#returned.length + this.#others.length <= 2 * waiting + staleAllowance) return;
    this.#returned.keep((entry) => this.#isTrue(entry));
    this.#others.keep((entry) => this.#isTrue(entry));
  }

  /** The first rollout that still waits at the place it was put in; it leaves the queue. */
  take(): RolloutRecord | undefined {
    for (;;) {
      const entry = this.#returned.shift() ?? this.#others.shift();
      if (entry === undefined) return undefined;
      const record = this.#read(entry.rolloutId);
      if (record?.queuePosition === entry.position) return record;
    }
  }

  #isTrue({ rolloutId, position }: Entry): boolean {
    return this.#read(rolloutId)?.queuePosition === position;
  }
}
