import type { Runtime } from "@agentlightning/core";
import { isQueuedStatus, latestAttempt, type RolloutRecord } from "@agentlightning/core/lifecycle";
import type { DriverChange } from "@agentlightning/store-kit";
import { DeadlineIndex } from "./deadline-index.ts";
import type { MemoryBounds } from "./options.ts";
import { Retention } from "./retention.ts";
import type { SpanShelves } from "./span-shelf.ts";
import { WorkQueue } from "./work-queue.ts";

/** The rollouts and every index over them; `put` is the one place where they change. */
export class RecordTable {
  readonly #records = new Map<string, RolloutRecord>();
  /** Rollouts by the requests that claimed them. */
  readonly #claims = new Map<string, Set<string>>();
  readonly #listeners = new Set<(change: DriverChange) => void>();
  readonly #runtime: Runtime;
  readonly #shelves: SpanShelves;
  readonly retention: Retention;
  readonly deadlines: DeadlineIndex;
  readonly queue: WorkQueue;
  attemptCount = 0;
  queuedCount = 0;

  constructor(bounds: MemoryBounds, runtime: Runtime, shelves: SpanShelves) {
    this.#runtime = runtime;
    this.#shelves = shelves;
    this.retention = new Retention(bounds);
    this.deadlines = new DeadlineIndex((rolloutId) => this.#records.get(rolloutId)?.nextDeadlineMs);
    this.queue = new WorkQueue((rolloutId) => this.#records.get(rolloutId));
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

  listen(listener: (change: DriverChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Stores a record and keeps every index true; announces a status that moved. */
  put(record: RolloutRecord): void {
    const { rolloutId, status, endTimeMs } = record.rollout;
    const previous = this.#records.get(rolloutId);
    this.#records.set(rolloutId, record);
    if (record.nextDeadlineMs !== previous?.nextDeadlineMs) this.deadlines.note(rolloutId, record.nextDeadlineMs);
    // Heartbeats and span counts, by far the most frequent writes, change nothing below.
    if (record.revision === previous?.revision) return;
    this.attemptCount += record.attempts.length - (previous?.attempts.length ?? 0);
    this.queuedCount += Number(record.queuePosition !== undefined) - Number(previous?.queuePosition !== undefined);
    if (record.queuePosition !== previous?.queuePosition) this.queue.add(record, this.queuedCount);
    if (endTimeMs !== previous?.rollout.endTimeMs) this.retention.note(rolloutId, endTimeMs);
    const attempt = latestAttempt(record);
    const isNewAttempt = record.attempts.length !== (previous?.attempts.length ?? 0);
    if (isNewAttempt && attempt?.requestId !== undefined) this.#noteClaim(attempt.requestId, rolloutId);
    if (status === previous?.rollout.status && !isNewAttempt) return;
    const attemptId = attempt === undefined ? {} : { attemptId: attempt.attemptId };
    for (const listener of this.#listeners)
      listener({ rolloutId, status, ...attemptId, queued: isQueuedStatus(status) });
    // After the listeners: whoever has yet to be told has said so by then.
    this.prune();
  }

  #noteClaim(requestId: string, rolloutId: string): void {
    const claimed = this.#claims.get(requestId) ?? new Set<string>();
    this.#claims.set(requestId, claimed.add(rolloutId));
  }

  /** Drops what is past the bounds of retention. */
  prune(): void {
    const nowMs = this.#runtime.clock.nowMs();
    for (let next = this.retention.nextToDrop(nowMs); next !== undefined; next = this.retention.nextToDrop(nowMs)) {
      this.drop(next);
    }
  }

  drop(rolloutId: string): void {
    const record = this.#records.get(rolloutId);
    if (record === undefined) return;
    this.#records.delete(rolloutId);
    this.#shelves.drop(rolloutId);
    this.attemptCount -= record.attempts.length;
    for (const { requestId } of record.attempts) {
      if (requestId === undefined) continue;
      const claimed = this.#claims.get(requestId);
      claimed?.delete(rolloutId);
      if (claimed?.size === 0) this.#claims.delete(requestId);
    }
    this.deadlines.note(rolloutId, undefined);
    this.retention.forget(rolloutId);
  }
}
