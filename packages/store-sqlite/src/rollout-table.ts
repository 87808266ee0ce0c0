import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { Page, RolloutQuery } from "@agentlightning/core";
import { createPage } from "@agentlightning/core";
import { latestAttempt, type RolloutRecord } from "@agentlightning/core/lifecycle";
import { announcedChange, selectRollouts } from "@agentlightning/store-kit";
import { decodeRecord, encodeRecord } from "./decode.ts";
import type { LedgerBook } from "./ledger.ts";
import { numberOf, type Row } from "./rows.ts";
import { encodeKey, encodeValue } from "./value-codec.ts";
import type { Writer } from "./writer.ts";

/** A record with the row that it is in. */
export interface StoredRollout {
  readonly id: number;
  readonly record: RolloutRecord;
}

const whole = "SELECT r.id, r.record, i.input FROM rollouts r JOIN inputs i ON i.rollout = r.id";

/** The queries whose plan a test pins: none may look at every rollout. */
export const rolloutQueries = {
  byKey: `${whole} WHERE r.namespace = ? AND r.rolloutKey = ?`,
  queued: `${whole} WHERE r.namespace = ? AND r.queuePosition IS NOT NULL ORDER BY r.queuePosition, r.rolloutKey LIMIT ?`,
  due: `${whole} WHERE r.namespace = ? AND r.nextDeadlineMs < ? ORDER BY r.nextDeadlineMs LIMIT ?`,
  earliest:
    "SELECT nextDeadlineMs FROM rollouts WHERE namespace = ? AND nextDeadlineMs IS NOT NULL ORDER BY nextDeadlineMs LIMIT 1",
  claimed: `${whole} JOIN claims c ON c.rollout = r.id WHERE c.namespace = ? AND c.requestKey = ? ORDER BY c.id`,
} as const;

function toStored(row: Row): StoredRollout {
  return { id: numberOf(row, "id"), record: decodeRecord(row) };
}

function marks(count: number): string {
  return Array.from({ length: count }, () => "?").join(", ");
}

/** The rollouts of one namespace; `insert` and `put` are the places where they change. */
export class RolloutTable {
  readonly #db: DatabaseSync;
  readonly #book: LedgerBook;
  readonly #writer: Writer;
  readonly #reads: Readonly<Record<keyof typeof rolloutQueries | "bare" | "hasQueued", StatementSync>>;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #insertInput: StatementSync;
  readonly #updateInput: StatementSync;
  readonly #insertClaim: StatementSync;
  readonly #deletes: readonly StatementSync[];

  constructor(db: DatabaseSync, book: LedgerBook, writer: Writer) {
    this.#db = db;
    this.#book = book;
    this.#writer = writer;
    this.#reads = {
      byKey: db.prepare(rolloutQueries.byKey),
      queued: db.prepare(rolloutQueries.queued),
      due: db.prepare(rolloutQueries.due),
      earliest: db.prepare(rolloutQueries.earliest),
      claimed: db.prepare(rolloutQueries.claimed),
      bare: db.prepare("SELECT id, record FROM rollouts WHERE namespace = ? AND rolloutKey = ?"),
      hasQueued: db.prepare("SELECT 1 FROM rollouts WHERE namespace = ? AND queuePosition IS NOT NULL LIMIT 1"),
    };
    this.#insert = db.prepare(
      "INSERT INTO rollouts (namespace, rolloutKey, status, queuePosition, nextDeadlineMs, record) VALUES (?, ?, ?, ?, ?, ?)",
    );
    this.#update = db.prepare(
      "UPDATE rollouts SET status = ?, queuePosition = ?, nextDeadlineMs = ?, record = ? WHERE id = ?",
    );
    this.#insertInput = db.prepare("INSERT INTO inputs (rollout, input) VALUES (?, ?)");
    this.#updateInput = db.prepare("UPDATE inputs SET input = ? WHERE rollout = ?");
    this.#insertClaim = db.prepare("INSERT OR IGNORE INTO claims (namespace, requestKey, rollout) VALUES (?, ?, ?)");
    this.#deletes = [
      "DELETE FROM claims WHERE rollout = ?",
      "DELETE FROM inputs WHERE rollout = ?",
      "DELETE FROM rollouts WHERE id = ?",
    ].map((sql) => db.prepare(sql));
  }

  find(rolloutId: string): StoredRollout | undefined {
    const row = this.#reads.byKey.get(this.#book.namespace, encodeKey(rolloutId));
    return row === undefined ? undefined : toStored(row);
  }

  /** A record whose input is not read; to be put back with {@link putBare}. */
  findBare(rolloutId: string): StoredRollout | undefined {
    const row = this.#reads.bare.get(this.#book.namespace, encodeKey(rolloutId));
    return row === undefined ? undefined : toStored(row);
  }

  queued(limit: number): readonly StoredRollout[] {
    return this.#reads.queued.all(this.#book.namespace, Math.min(limit, Number.MAX_SAFE_INTEGER)).map(toStored);
  }

  hasQueued(): boolean {
    return this.#reads.hasQueued.get(this.#book.namespace) !== undefined;
  }

  claimedBy(requestId: string): readonly RolloutRecord[] {
    return this.#reads.claimed.all(this.#book.namespace, encodeKey(requestId)).map(decodeRecord);
  }

  due(nowMs: number, limit: number): readonly RolloutRecord[] {
    return this.#reads.due.all(this.#book.namespace, nowMs, Math.min(limit, Number.MAX_SAFE_INTEGER)).map(decodeRecord);
  }

  earliestDeadlineMs(): number | undefined {
    const row = this.#reads.earliest.get(this.#book.namespace);
    return row === undefined ? undefined : numberOf(row, "nextDeadlineMs");
  }

  insert(record: RolloutRecord): void {
    const { lastInsertRowid } = this.#insert.run(
      this.#book.namespace,
      encodeKey(record.rollout.rolloutId),
      ...this.#columns(record),
    );
    const id = Number(lastInsertRowid);
    this.#insertInput.run(id, encodeValue(record.rollout.input));
    this.#writer.current.ledger.rollouts += 1;
    this.#noteChange(id, undefined, record);
  }

  /** Stores the record that follows another. */
  put(previous: StoredRollout, record: RolloutRecord): void {
    this.putBare(previous, record);
    if (record.rollout.input !== previous.record.rollout.input) {
      this.#updateInput.run(encodeValue(record.rollout.input), previous.id);
    }
  }

  /** Stores the record that follows another, and leaves its input as it is. */
  putBare(previous: StoredRollout, record: RolloutRecord): void {
    this.#update.run(...this.#columns(record), previous.id);
    // Heartbeats and span counts, by far the most frequent writes, change nothing else.
    if (record.revision !== previous.record.revision) this.#noteChange(previous.id, previous.record, record);
  }

  #columns(record: RolloutRecord): [string, number | null, number | null, string] {
    const { rollout, queuePosition = null, nextDeadlineMs = null } = record;
    return [rollout.status, queuePosition, nextDeadlineMs, encodeRecord(record)];
  }

  /** Keeps counters, claims and the order of changes true. */
  #noteChange(id: number, previous: RolloutRecord | undefined, record: RolloutRecord): void {
    const { ledger, changes } = this.#writer.current;
    const attemptsBefore = previous?.attempts.length ?? 0;
    ledger.attempts += record.attempts.length - attemptsBefore;
    ledger.queued += Number(record.queuePosition !== undefined) - Number(previous?.queuePosition !== undefined);
    for (const { requestId } of record.attempts.slice(attemptsBefore)) {
      if (requestId !== undefined) this.#insertClaim.run(this.#book.namespace, encodeKey(requestId), id);
    }
    const change = announcedChange(previous, record);
    if (change === undefined) return;
    ledger.lastChange += 1;
    const numbered = { ...change, sequence: ledger.lastChange };
    changes.push(numbered);
    this.#book.addChange(numbered);
  }

  /** Deletes a rollout that does not wait in the queue; its spans are the caller's. */
  drop({ id, record }: StoredRollout): void {
    const { ledger } = this.#writer.current;
    ledger.rollouts -= 1;
    ledger.attempts -= record.attempts.length;
    ledger.queued -= Number(record.queuePosition !== undefined);
    for (const statement of this.#deletes) statement.run(id);
  }

  query(query: RolloutQuery): Page<RolloutRecord> {
    const { where, values, isExact } = this.#restrict(query);
    const { sortBy, sortOrder = "asc", limit = -1, offset = 0 } = query;
    if (!isExact || sortBy !== undefined) {
      return selectRollouts(this.#select(`${where} ORDER BY r.id`, values), query);
    }
    const total = numberOf(
      this.#db.prepare(`SELECT count(*) AS total FROM rollouts r WHERE ${where}`).get(...values) ?? {},
      "total",
    );
    const items = this.#select(`${where} ORDER BY r.id ${sortOrder} LIMIT ? OFFSET ?`, [...values, limit, offset]);
    return createPage(items, total, limit, offset);
  }

  #select(where: string, values: readonly SQLInputValue[]): readonly RolloutRecord[] {
    return this.#db
      .prepare(`${whole} WHERE ${where}`)
      .all(...values)
      .map(decodeRecord);
  }

  /** What the indexes can do for a query; not exact: the rest has to be filtered. */
  #restrict({ statusIn, rolloutIdIn, rolloutIdContains, filterLogic }: RolloutQuery): {
    readonly where: string;
    readonly values: readonly SQLInputValue[];
    readonly isExact: boolean;
  } {
    const { namespace } = this.#book;
    const given = [statusIn, rolloutIdIn, rolloutIdContains].filter((condition) => condition !== undefined).length;
    if (filterLogic === "or" && given > 1) return { where: "r.namespace = ?", values: [namespace], isExact: false };
    const conditions = ["r.namespace = ?"];
    const values: SQLInputValue[] = [namespace];
    if (statusIn !== undefined) {
      conditions.push(`r.status IN (${marks(statusIn.length)})`);
      values.push(...statusIn);
    }
    if (rolloutIdIn !== undefined) {
      // One value, however many ids: SQLite bounds how many values a statement takes.
      conditions.push("r.rolloutKey IN (SELECT value FROM json_each(?))");
      values.push(JSON.stringify(rolloutIdIn.map(encodeKey)));
    }
    return { where: conditions.join(" AND "), values, isExact: rolloutIdContains === undefined };
  }
}
