import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { DriverChange } from "@agentlightning/store-kit";
import { numberOf } from "./rows.ts";

/** The row of a namespace: its counters, which every transaction keeps true. */
export interface Ledger {
  rollouts: number;
  attempts: number;
  spans: number;
  resources: number;
  workers: number;
  queued: number;
  spanBytes: number;
  /** The sequence of the last change. */
  lastChange: number;
  /** The row of the resources put last; 0: none. */
  latestResources: number;
}

const columns = [
  "rollouts",
  "attempts",
  "spans",
  "resources",
  "workers",
  "queued",
  "spanBytes",
  "lastChange",
  "latestResources",
] as const satisfies readonly (keyof Ledger)[];

/** How many changes other processes may lag behind. */
const keptChanges = 100_000;

/** Old changes are cut when this many more have come. */
const cutEvery = 1_024;

/** A change with its place in the order of all. */
export type NumberedChange = DriverChange & { readonly sequence: number };

/** Reads and writes the ledger of one namespace, and its changes. */
export class LedgerBook {
  readonly namespace: number;
  readonly #read: StatementSync;
  readonly #write: StatementSync;
  readonly #addChange: StatementSync;
  readonly #cutChanges: StatementSync;

  constructor(db: DatabaseSync, namespace: number) {
    this.namespace = namespace;
    this.#read = db.prepare(`SELECT ${columns.join(", ")} FROM namespaces WHERE id = ?`);
    this.#write = db.prepare(`UPDATE namespaces SET ${columns.map((name) => `${name} = ?`).join(", ")} WHERE id = ?`);
    this.#addChange = db.prepare("INSERT INTO changes (namespace, sequence, change) VALUES (?, ?, ?)");
    this.#cutChanges = db.prepare("DELETE FROM changes WHERE namespace = ? AND sequence <= ?");
  }

  read(): Ledger {
    const row = this.#read.get(this.namespace) ?? {};
    return {
      rollouts: numberOf(row, "rollouts"),
      attempts: numberOf(row, "attempts"),
      spans: numberOf(row, "spans"),
      resources: numberOf(row, "resources"),
      workers: numberOf(row, "workers"),
      queued: numberOf(row, "queued"),
      spanBytes: numberOf(row, "spanBytes"),
      lastChange: numberOf(row, "lastChange"),
      latestResources: numberOf(row, "latestResources"),
    };
  }

  /** Writes what differs from `before`, if anything does. */
  write(ledger: Ledger, before: Ledger): void {
    if (columns.every((name) => ledger[name] === before[name])) return;
    this.#write.run(...columns.map((name) => ledger[name]), this.namespace);
    const isTimeToCut = Math.floor(ledger.lastChange / cutEvery) !== Math.floor(before.lastChange / cutEvery);
    if (isTimeToCut) this.#cutChanges.run(this.namespace, ledger.lastChange - keptChanges);
  }

  addChange(change: NumberedChange): void {
    const { sequence, ...rest } = change;
    this.#addChange.run(this.namespace, sequence, JSON.stringify(rest));
  }
}
