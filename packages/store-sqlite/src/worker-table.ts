import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Worker } from "@agentlightning/core";
import { patchedWorker, type WorkerPatch, type WorkerWrite } from "@agentlightning/store-kit";
import { decodeWorker } from "./decode.ts";
import type { LedgerBook } from "./ledger.ts";
import { encodeKey, encodeValue } from "./value-codec.ts";
import type { Writer } from "./writer.ts";

/** The workers of one namespace. */
export class WorkerTable {
  readonly #book: LedgerBook;
  readonly #writer: Writer;
  readonly #read: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #all: StatementSync;

  constructor(db: DatabaseSync, book: LedgerBook, writer: Writer) {
    this.#book = book;
    this.#writer = writer;
    this.#read = db.prepare("SELECT worker FROM workers WHERE namespace = ? AND workerKey = ?");
    this.#insert = db.prepare("INSERT INTO workers (worker, namespace, workerKey) VALUES (?, ?, ?)");
    this.#update = db.prepare("UPDATE workers SET worker = ? WHERE namespace = ? AND workerKey = ?");
    this.#all = db.prepare("SELECT worker FROM workers WHERE namespace = ? ORDER BY id");
  }

  get(workerId: string): Worker | undefined {
    const row = this.#read.get(this.#book.namespace, encodeKey(workerId));
    return row === undefined ? undefined : decodeWorker(row);
  }

  all(): readonly Worker[] {
    return this.#all.all(this.#book.namespace).map(decodeWorker);
  }

  patch(workerId: string, decide: (worker: Worker | undefined) => WorkerPatch): Worker {
    const current = this.get(workerId);
    const next = patchedWorker(workerId, current, decide(current));
    if (next === current) return next;
    const statement = current === undefined ? this.#insert : this.#update;
    statement.run(encodeValue(next), this.#book.namespace, encodeKey(workerId));
    if (current === undefined) this.#writer.current.ledger.workers += 1;
    return next;
  }

  write(writes: readonly WorkerWrite[]): void {
    for (const { workerId, patch } of writes) this.patch(workerId, () => patch);
  }
}
