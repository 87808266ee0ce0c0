import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ResourcesUpdate } from "@agentlightning/core";
import { decodeResources } from "./decode.ts";
import type { LedgerBook } from "./ledger.ts";
import { numberOf } from "./rows.ts";
import { encodeKey, encodeValue } from "./value-codec.ts";
import type { Writer } from "./writer.ts";

/** The resources of one namespace. */
export class ResourcesTable {
  readonly #book: LedgerBook;
  readonly #writer: Writer;
  readonly #read: StatementSync;
  readonly #latest: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #all: StatementSync;

  constructor(db: DatabaseSync, book: LedgerBook, writer: Writer) {
    this.#book = book;
    this.#writer = writer;
    this.#read = db.prepare("SELECT id, version, resources FROM resources WHERE namespace = ? AND resourcesKey = ?");
    this.#latest = db.prepare(
      "SELECT r.resources FROM namespaces n JOIN resources r ON r.id = n.latestResources WHERE n.id = ?",
    );
    this.#insert = db.prepare(
      "INSERT INTO resources (namespace, resourcesKey, version, resources) VALUES (?, ?, ?, ?)",
    );
    this.#update = db.prepare("UPDATE resources SET version = ?, resources = ? WHERE id = ?");
    this.#all = db.prepare("SELECT resources FROM resources WHERE namespace = ? ORDER BY id");
  }

  get(resourcesId: string): ResourcesUpdate | undefined {
    const row = this.#read.get(this.#book.namespace, encodeKey(resourcesId));
    return row === undefined ? undefined : decodeResources(row);
  }

  latest(): ResourcesUpdate | undefined {
    const row = this.#latest.get(this.#book.namespace);
    return row === undefined ? undefined : decodeResources(row);
  }

  all(): readonly ResourcesUpdate[] {
    return this.#all.all(this.#book.namespace).map(decodeResources);
  }

  /** Stores a version as the latest, if the stored one is the one expected. */
  put(update: ResourcesUpdate, expectedVersion: number): boolean {
    const { ledger } = this.#writer.current;
    const key = encodeKey(update.resourcesId);
    const stored = this.#read.get(this.#book.namespace, key);
    if ((stored === undefined ? 0 : numberOf(stored, "version")) !== expectedVersion) return false;
    const text = encodeValue(update);
    if (stored === undefined) {
      ledger.latestResources = Number(
        this.#insert.run(this.#book.namespace, key, update.version, text).lastInsertRowid,
      );
      ledger.resources += 1;
    } else {
      ledger.latestResources = numberOf(stored, "id");
      this.#update.run(update.version, text, ledger.latestResources);
    }
    return true;
  }
}
