import type { DatabaseSync } from "node:sqlite";
import { LightningError, type Runtime } from "@agentlightning/core";
import type { RetentionOptions } from "@agentlightning/store-kit";

/** Options of {@link createSqliteDriver}. */
export interface SqliteDriverOptions {
  /** The part of the database that this store sees. @defaultValue "default" */
  readonly namespace?: string | undefined;
  /** `full`: what was acknowledged survives a power cut. `normal`: it survives the end of the process in any way, but a power cut may lose the last moments. @defaultValue "full" */
  readonly synchronous?: "full" | "normal" | undefined;
  /** Largest task input, in estimated bytes. @defaultValue 16 MiB */
  readonly maxInputBytes?: number | undefined;
  /** Largest span, in estimated bytes. @defaultValue 16 MiB */
  readonly maxSpanBytes?: number | undefined;
  /** How long a call waits while other processes write; real milliseconds. @defaultValue 30_000 */
  readonly busyTimeoutMs?: number | undefined;
  /** How often changes of other processes are looked for while somebody waits; real milliseconds. @defaultValue 25 */
  readonly pollMs?: number | undefined;
}

/** Options of {@link openSqliteStore}. */
export interface SqliteStoreOptions extends SqliteDriverOptions {
  /** What is dropped when. @defaultValue keep everything */
  readonly retention?: RetentionOptions | undefined;
  /** Freeze records at every level, to find code that changes them. @defaultValue false */
  readonly deepFreeze?: boolean | undefined;
  /** Clock, randomness and ids. @defaultValue the process's own */
  readonly runtime?: Runtime | undefined;
}

/** The options with defaults filled in. */
export interface ResolvedOptions {
  readonly namespace: string;
  readonly synchronous: "full" | "normal";
  readonly maxInputBytes: number;
  readonly maxSpanBytes: number;
  readonly busyTimeoutMs: number;
  readonly pollMs: number;
}

const defaultMaxBytes = 16 * 2 ** 20;

function refuse(message: string): never {
  throw new LightningError({ code: "invalid_options", message });
}

function number(value: number | undefined, name: string, least: number, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (typeof value === "number" && value >= least) return value;
  return refuse(`${name} must be a number from ${least}, got ${String(value)}`);
}

/** Checks the options and fills in the defaults. @throws invalid_options */
export function resolveOptions(options: SqliteDriverOptions): ResolvedOptions {
  const { namespace = "default", synchronous = "full" } = options;
  if (typeof namespace !== "string" || namespace === "") refuse("namespace must be a text that is not empty");
  if (synchronous !== "full" && synchronous !== "normal") {
    refuse(`synchronous must be "full" or "normal", got ${String(synchronous)}`);
  }
  return {
    namespace,
    synchronous,
    maxInputBytes: number(options.maxInputBytes, "maxInputBytes", 1, defaultMaxBytes),
    maxSpanBytes: number(options.maxSpanBytes, "maxSpanBytes", 1, defaultMaxBytes),
    busyTimeoutMs: number(options.busyTimeoutMs, "busyTimeoutMs", 0, 30_000),
    pollMs: number(options.pollMs, "pollMs", 1, 25),
  };
}

/** An open connection. */
export interface Connection {
  readonly db: DatabaseSync;
  /** The file's one true path: two handles of the same file agree on it. */
  readonly path: string;
}
