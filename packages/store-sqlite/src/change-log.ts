import { systemRuntime, type TimerHandle } from "@agentlightning/core";
import type { StatementSync } from "node:sqlite";
import type { DriverChange } from "@agentlightning/store-kit";
import type { NumberedChange } from "./ledger.ts";
import type { Connection } from "./options.ts";
import { numberOf, textOf } from "./rows.ts";
import { resultCode } from "./sqlite-errors.ts";

/** The handles of this process by database and namespace: a change made by one wakes the others at once. */
const neighbours = new Map<string, Set<ChangeLog>>();

const pageSize = 1_000;

/** Differs from every version: changes are looked for at the next poll. */
const unknownVersion = -1;

/** What other handles and processes changed, in order, for the listeners of one handle. */
export class ChangeLog {
  readonly #key: string;
  readonly #namespace: number;
  readonly #pollMs: number;
  readonly #readVersion: StatementSync;
  readonly #readChanges: StatementSync;
  readonly #listeners = new Set<(change: DriverChange) => void>();
  #lastSequence: number;
  /** The file as it was when changes were last looked for. */
  #version = unknownVersion;
  #attending = 0;
  #timer: TimerHandle | undefined;
  #isClosed = false;

  constructor({ db, path }: Connection, namespace: number, lastSequence: number, pollMs: number) {
    this.#key = `${namespace}:${path}`;
    this.#namespace = namespace;
    this.#pollMs = pollMs;
    this.#lastSequence = lastSequence;
    // Moves when somebody else commits; costs no read of the file.
    this.#readVersion = db.prepare("PRAGMA data_version");
    this.#readChanges = db.prepare(
      `SELECT sequence, change FROM changes WHERE namespace = ? AND sequence > ? ORDER BY sequence LIMIT ${pageSize}`,
    );
    const others = neighbours.get(this.#key) ?? new Set();
    neighbours.set(this.#key, others.add(this));
  }

  get lastSequence(): number {
    return this.#lastSequence;
  }

  listen(listener: (change: DriverChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Announces what this handle has just committed, after whatever others committed before it. */
  committed(changes: readonly NumberedChange[]): void {
    const [first] = changes;
    if (first?.sequence === this.#lastSequence + 1) for (const change of changes) this.#announce(change);
    else this.#wake();
    for (const neighbour of neighbours.get(this.#key) ?? []) if (neighbour !== this) neighbour.#wake();
  }

  /** Somebody committed; where nothing can be read just now, the next poll or commit makes up for it. */
  #wake(): void {
    try {
      this.catchUp();
    } catch (error) {
      if (resultCode(error) === undefined) throw error;
      this.#version = unknownVersion;
    }
  }

  /** Announces every change that is stored and was not announced yet. */
  catchUp(): void {
    for (;;) {
      if (this.#isClosed) return;
      const rows = this.#readChanges.all(this.#namespace, this.#lastSequence);
      for (const row of rows) {
        const sequence = numberOf(row, "sequence");
        // A listener may have brought about changes, and so have announced this one already.
        if (sequence <= this.#lastSequence) continue;
        const change: Omit<NumberedChange, "sequence"> = JSON.parse(textOf(row, "change"));
        this.#announce({ ...change, sequence });
      }
      if (rows.length < pageSize) return;
    }
  }

  #announce(change: NumberedChange): void {
    this.#lastSequence = change.sequence;
    for (const listener of Array.from(this.#listeners)) listener(change);
  }

  /** Looks for changes of other processes until released. */
  attend(): () => void {
    this.#attending += 1;
    if (this.#attending === 1) this.#poll();
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#attending -= 1;
      if (this.#attending === 0) this.#stop();
    };
  }

  #poll(): void {
    // Real time: other processes know nothing of a clock that a test moves by hand.
    this.#timer = systemRuntime.clock.setTimer(() => {
      this.#look();
      if (this.#attending > 0 && !this.#isClosed) this.#poll();
    }, this.#pollMs);
  }

  #look(): void {
    try {
      const version = numberOf(this.#readVersion.get() ?? {}, "data_version");
      if (version === this.#version) return;
      this.catchUp();
      this.#version = version;
    } catch (error) {
      // Locked for a moment; the next look tells.
      if (resultCode(error) === undefined) throw error;
    }
  }

  #stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
    this.#listeners.clear();
    const others = neighbours.get(this.#key);
    others?.delete(this);
    if (others?.size === 0) neighbours.delete(this.#key);
  }
}
