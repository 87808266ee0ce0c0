import type { DatabaseSync } from "node:sqlite";
import type { Awaitable, DriverCounts } from "@agentlightning/store-kit";
import { ChangeLog } from "./change-log.ts";
import { LedgerBook } from "./ledger.ts";
import { openDatabase } from "./open-database.ts";
import type { Connection, ResolvedOptions } from "./options.ts";
import { ResourcesTable } from "./resources-table.ts";
import { whileBusy } from "./retry.ts";
import { RolloutTable } from "./rollout-table.ts";
import { numberOf } from "./rows.ts";
import { SpanTable } from "./span-table.ts";
import { isBusy, translateError } from "./sqlite-errors.ts";
import { encodeKey } from "./value-codec.ts";
import { WorkerTable } from "./worker-table.ts";
import { Writer } from "./writer.ts";

/** One connection and everything that works on it. */
export class Engine {
  readonly #connection: Connection;
  readonly #busyTimeoutMs: number;
  readonly #book: LedgerBook;
  readonly log: ChangeLog;
  readonly writer: Writer;
  readonly rollouts: RolloutTable;
  readonly spans: SpanTable;
  readonly resources: ResourcesTable;
  readonly workers: WorkerTable;

  constructor(connection: Connection, options: ResolvedOptions, namespace: number) {
    const { db } = connection;
    this.#connection = connection;
    this.#busyTimeoutMs = options.busyTimeoutMs;
    this.#book = new LedgerBook(db, namespace);
    this.log = new ChangeLog(connection, namespace, this.#book.read().lastChange, options.pollMs);
    this.writer = new Writer(connection, options, this.#book, (changes) => this.log.committed(changes));
    this.rollouts = new RolloutTable(db, this.#book, this.writer);
    this.spans = new SpanTable(db, this.writer);
    this.resources = new ResourcesTable(db, this.#book, this.writer);
    this.workers = new WorkerTable(db, this.#book, this.writer);
  }

  /** Reads on one snapshot, at once; later only where a crashed process's file has to be mended by somebody first. */
  read<T>(work: () => T): Awaitable<T> {
    const { db, path } = this.#connection;
    try {
      return onSnapshot(db, work);
    } catch (error) {
      if (!isBusy(error)) throw translateError(error, path);
      return whileBusy(path, this.#busyTimeoutMs, () => onSnapshot(db, work));
    }
  }

  counts(): DriverCounts {
    const { lastChange: _last, latestResources: _latest, ...counts } = this.#book.read();
    return counts;
  }

  /** Lets calls that are under way end, then frees the file. */
  async close(): Promise<void> {
    await this.writer.idle();
    this.log.close();
    this.#connection.db.close();
  }
}

function onSnapshot<T>(db: DatabaseSync, work: () => T): T {
  db.exec("BEGIN");
  try {
    return work();
  } finally {
    if (db.isTransaction) db.exec("COMMIT");
  }
}

/** The number of a namespace; a name that is new gets the next. */
function findNamespace(db: DatabaseSync, name: string): number {
  const find = db.prepare("SELECT id FROM namespaces WHERE name = ?");
  const known = find.get(name);
  if (known !== undefined) return numberOf(known, "id");
  db.prepare("INSERT OR IGNORE INTO namespaces (name) VALUES (?)").run(name);
  return numberOf(find.get(name) ?? {}, "id");
}

/** Opens the file and one namespace in it. */
export async function openEngine(path: string, options: ResolvedOptions): Promise<Engine> {
  const connection = await openDatabase(path, options);
  const { db, path: file } = connection;
  try {
    return await whileBusy(
      file,
      options.busyTimeoutMs,
      () => new Engine(connection, options, findNamespace(db, encodeKey(options.namespace))),
    );
  } catch (error) {
    db.close();
    throw translateError(error, file);
  }
}
