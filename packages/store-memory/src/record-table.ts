import { latestAttempt, type RolloutRecord } from "@agentlightning/core/lifecycle";
import { announcedChange, type DriverChange } from "@agentlightning/store-kit";
import { DeadlineIndex } from "./deadline-index.ts";
import type { SpanShelves } from "./span-shelf.ts";
import { WorkQueue } from "./work-queue.ts";

/** The rollouts and every index over them; `put` is the one place where they change. */
export class RecordTable {
  readonly #records = new Map<string, RolloutRecord>();
  /** Rollouts by the requests that claimed them. */
  readonly #claims = new Map<string, Set<string>>();
  readonly #listeners = new Set<(change: DriverChange) => void>();
  readonly #shelves: SpanShelves;
  readonly deadlines: DeadlineIndex = new DeadlineIndex((rolloutId) => this.#records.get(rolloutId)?.nextDeadlineMs);
  readonly queue: WorkQueue = new WorkQueue((rolloutId) => this.#records.get(rolloutId));
  attemptCount = 0;
  queuedCount = 0;

  constructor(shelves: SpanShelves) {
    this.#shelves = shelves;
  }

  get size(): number {
    return this.#records.size;
  }

  get(rolloutId: string): RolloutRecord | undefined {
    return this.#records.get(rolloutId);
  }

  values(): IterableIterator<RolloutRecord> {
    return this.#records.values();
  }

  claimedBy(requestId: string): readonly RolloutRecord[] {
    return [...(this.#claims.get(requestId) ?? [])].flatMap((rolloutId) => this.#records.get(rolloutId) ?? []);
  }

  /** Records whose deadline has passed, earliest first; they stay due until a write says otherwise. */
  due(nowMs: number, limit: number): readonly RolloutRecord[] {
    const due: RolloutRecord[] = [];
    while (due.length < limit) {
      const first = this.deadlines.earliest();
      if (first === undefined || first.deadlineMs >= nowMs) break;
      this.deadlines.removeTop();
      const record = this.#records.get(first.rolloutId);
      if (record !== undefined) due.push(record);
    }
    for (const { rollout, nextDeadlineMs } of due) this.deadlines.note(rollout.rolloutId, nextDeadlineMs);
    return due;
  }

  listen(listener: (change: DriverChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Stores a record and keeps every index true; announces a status that moved. */
  put(record: RolloutRecord): void {
    const { rolloutId } = record.rollout;
    const previous = this.#records.get(rolloutId);
    this.#records.set(rolloutId, record);
    if (record.nextDeadlineMs !== previous?.nextDeadlineMs) this.deadlines.note(rolloutId, record.nextDeadlineMs);
    // Heartbeats and span counts, by far the most frequent writes, change nothing below.
    if (record.revision === previous?.revision) return;
    const attemptsBefore = previous?.attempts.length ?? 0;
    this.attemptCount += record.attempts.length - attemptsBefore;
    this.queuedCount += Number(record.queuePosition !== undefined) - Number(previous?.queuePosition !== undefined);
    if (record.queuePosition !== previous?.queuePosition) this.queue.add(record, this.queuedCount);
    const requestId = record.attempts.length === attemptsBefore ? undefined : latestAttempt(record)?.requestId;
    if (requestId !== undefined) this.#noteClaim(requestId, rolloutId);
    const change = announcedChange(previous, record);
    if (change !== undefined) for (const listener of this.#listeners) listener(change);
  }

  #noteClaim(requestId: string, rolloutId: string): void {
    const claimed = this.#claims.get(requestId) ?? new Set<string>();
    this.#claims.set(requestId, claimed.add(rolloutId));
  }

  drop({ rollout, attempts }: RolloutRecord): void {
    const { rolloutId } = rollout;
    this.#records.delete(rolloutId);
    this.#shelves.drop(rolloutId);
    this.attemptCount -= attempts.length;
    for (const { requestId } of attempts) {
      if (requestId === undefined) continue;
      const claimed = this.#claims.get(requestId);
      claimed?.delete(rolloutId);
      if (claimed?.size === 0) this.#claims.delete(requestId);
    }
    this.deadlines.note(rolloutId, undefined);
  }
}
