import { LightningError, type Runtime } from "@agentlightning/core";
import type { RetentionOptions } from "@agentlightning/store-kit";
import type { MemoryDatabase } from "./memory-database.ts";
import type { MemoryLimits } from "./memory-driver.ts";

/** Options of {@link openMemoryStore}. */
export interface MemoryStoreOptions {
  /** What is dropped when. @defaultValue keep everything */
  readonly retention?: RetentionOptions | undefined;
  /** Where the store keeps what it holds; stores of the same database and namespace see the same. @defaultValue a database of its own */
  readonly database?: MemoryDatabase | undefined;
  /** The part of the database that this store sees. @defaultValue "default" */
  readonly namespace?: string | undefined;
  /** Largest task input, in estimated bytes. @defaultValue 16 MiB */
  readonly maxInputBytes?: number | undefined;
  /** Largest span, in estimated bytes. @defaultValue 16 MiB */
  readonly maxSpanBytes?: number | undefined;
  /** Freeze records at every level, to find code that changes them. @defaultValue false */
  readonly deepFreeze?: boolean | undefined;
  /** Clock, randomness and ids. @defaultValue the process's own */
  readonly runtime?: Runtime | undefined;
}

const defaultMaxBytes = 16 * 2 ** 20;

function limit(value: number | undefined, name: string): number {
  if (value === undefined) return defaultMaxBytes;
  if (typeof value === "number" && value >= 1) return value;
  throw new LightningError({
    code: "invalid_options",
    message: `${name} must be a number from 1, got ${String(value)}`,
  });
}

/** Checks the bounds of single values and fills in the defaults. @throws invalid_options */
export function resolveMemoryLimits(options: MemoryStoreOptions = {}): MemoryLimits {
  return {
    maxInputBytes: limit(options.maxInputBytes, "maxInputBytes"),
    maxSpanBytes: limit(options.maxSpanBytes, "maxSpanBytes"),
  };
}
