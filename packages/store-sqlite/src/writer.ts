import type { DatabaseSync, StatementSync } from "node:sqlite";
import { LightningError } from "@agentlightning/core";
import type { Ledger, LedgerBook, NumberedChange } from "./ledger.ts";
import type { Connection, ResolvedOptions } from "./options.ts";
import { nowMs, soon } from "./retry.ts";
import { isBusy, lockTimeout, translateError } from "./sqlite-errors.ts";

interface Job {
  readonly run: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly sinceMs: number;
}

/** What a transaction has changed in memory, and how to take a part of it back. */
export interface Transaction {
  ledger: Ledger;
  changes: NumberedChange[];
}

/**
 * One write transaction for all calls of a turn, since a commit costs the same for one as for many. Each runs inside
 * a savepoint, so that one that throws takes back its own writes only; all are answered after the commit.
 */
export class Writer {
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #busyTimeoutMs: number;
  readonly #book: LedgerBook;
  readonly #onCommit: (changes: readonly NumberedChange[], lastChange: number) => void;
  readonly #statements: Readonly<Record<"begin" | "commit" | "rollback" | "save" | "release" | "undo", StatementSync>>;
  #jobs: Job[] = [];
  #isScheduled = false;
  #transaction: Transaction | undefined;
  #whenIdle: PromiseWithResolvers<void> | undefined;

  constructor(
    { db, path }: Connection,
    options: ResolvedOptions,
    book: LedgerBook,
    onCommit: (changes: readonly NumberedChange[], lastChange: number) => void,
  ) {
    this.#db = db;
    this.#path = path;
    this.#busyTimeoutMs = options.busyTimeoutMs;
    this.#book = book;
    this.#onCommit = onCommit;
    this.#statements = {
      begin: db.prepare("BEGIN IMMEDIATE"),
      commit: db.prepare("COMMIT"),
      rollback: db.prepare("ROLLBACK"),
      save: db.prepare("SAVEPOINT job"),
      release: db.prepare("RELEASE job"),
      undo: db.prepare("ROLLBACK TO job"),
    };
  }

  /** The transaction under way; only for what runs inside a job. */
  get current(): Transaction {
    if (this.#transaction !== undefined) return this.#transaction;
    throw new LightningError({ code: "invariant", message: "a write ran outside a transaction" });
  }

  /** Runs `run` in the next transaction; resolves when that is committed. */
  write<T>(run: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let result: { readonly value: T } | undefined;
    this.#jobs.push({
      run: () => {
        result = { value: run() };
      },
      resolve: () => {
        if (result !== undefined) resolve(result.value);
      },
      reject,
      sinceMs: nowMs(),
    });
    this.#schedule();
    return promise;
  }

  /** Resolves when every call so far has been answered. */
  async idle(): Promise<void> {
    if (this.#jobs.length === 0) return;
    this.#whenIdle ??= Promise.withResolvers();
    await this.#whenIdle.promise;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    try {
      this.#statements.begin.run();
    } catch (error) {
      this.#cannotBegin(error);
      return;
    }
    this.#isScheduled = false;
    const jobs = this.#jobs;
    this.#jobs = [];
    this.#runAll(jobs);
    this.#noteIdle();
  }

  /** Somebody else writes: those that still have time wait, the others are told. */
  #cannotBegin(error: unknown): void {
    const waitsSinceMs = isBusy(error) ? nowMs() - this.#busyTimeoutMs : Number.POSITIVE_INFINITY;
    const refused = this.#jobs.filter(({ sinceMs }) => sinceMs <= waitsSinceMs);
    this.#jobs = this.#jobs.filter(({ sinceMs }) => sinceMs > waitsSinceMs);
    for (const { reject } of refused) {
      reject(isBusy(error) ? lockTimeout(this.#path, this.#busyTimeoutMs, error) : translateError(error, this.#path));
    }
    this.#isScheduled = this.#jobs.length > 0;
    if (this.#isScheduled) soon(() => this.#flush());
    this.#noteIdle();
  }

  #noteIdle(): void {
    if (this.#jobs.length > 0) return;
    this.#whenIdle?.resolve();
    this.#whenIdle = undefined;
  }

  #runAll(jobs: readonly Job[]): void {
    const answers: (() => void)[] = [];
    let changes: readonly NumberedChange[] = [];
    let lastChange = 0;
    try {
      const before = this.#book.read();
      const transaction: Transaction = { ledger: { ...before }, changes: [] };
      this.#transaction = transaction;
      for (const job of jobs) answers.push(this.#runOne(job, transaction));
      this.#book.write(transaction.ledger, before);
      this.#statements.commit.run();
      ({ changes } = transaction);
      lastChange = transaction.ledger.lastChange;
    } catch (error) {
      this.#abort();
      const reason = translateError(error, this.#path);
      for (const { reject } of jobs) reject(reason);
      return;
    } finally {
      this.#transaction = undefined;
    }
    for (const answer of answers) answer();
    if (changes.length > 0) this.#onCommit(changes, lastChange);
  }

  /** Runs one call; gives how to answer it once all is committed. */
  #runOne(job: Job, transaction: Transaction): () => void {
    const { save, release, undo } = this.#statements;
    const ledger = { ...transaction.ledger };
    const changes = transaction.changes.length;
    save.run();
    try {
      job.run();
      release.run();
      return () => job.resolve(undefined);
    } catch (error) {
      // Where the engine gave up the whole transaction, nobody's writes are left.
      if (!this.#db.isTransaction) throw error;
      undo.run();
      release.run();
      transaction.ledger = ledger;
      transaction.changes.length = changes;
      return () => job.reject(translateError(error, this.#path));
    }
  }

  #abort(): void {
    if (this.#db.isTransaction) this.#statements.rollback.run();
  }
}
