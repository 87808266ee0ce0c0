import { LightningError, type Runtime } from "@agentlightning/core";

/** Which finished rollouts are dropped, whole: record, attempts and spans. Unset bounds keep everything. */
export interface RetentionOptions {
  /** Keep at most this many finished rollouts; those that ended first go first. */
  readonly finishedRollouts?: number | undefined;
  /** Keep finished rollouts at most this long, in milliseconds. */
  readonly finishedForMs?: number | undefined;
}

/** Options of {@link openMemoryStore}. */
export interface MemoryStoreOptions {
  /** @defaultValue keep everything */
  readonly retention?: RetentionOptions | undefined;
  /** Bound on the estimated bytes of all spans; beyond it finished rollouts are dropped, and when those do not suffice writes are refused with `store_full`. @defaultValue no bound */
  readonly maxTotalSpanBytes?: number | undefined;
  /** Largest task input, in estimated bytes. @defaultValue 16 MiB */
  readonly maxInputBytes?: number | undefined;
  /** Largest span, in estimated bytes. @defaultValue 16 MiB */
  readonly maxSpanBytes?: number | undefined;
  /** Freeze records at every level, to find code that changes them. @defaultValue false */
  readonly deepFreeze?: boolean | undefined;
  /** Clock, randomness and ids. @defaultValue the process's own */
  readonly runtime?: Runtime | undefined;
}

/** The bounds with defaults filled in. */
export interface MemoryBounds {
  readonly finishedRollouts: number;
  readonly finishedForMs: number;
  readonly maxTotalSpanBytes: number;
  readonly maxInputBytes: number;
  readonly maxSpanBytes: number;
}

function bound(value: number | undefined, fallback: number, name: string, least: number): number {
  if (value === undefined) return fallback;
  if (typeof value === "number" && value >= least) return value;
  throw new LightningError({
    code: "invalid_options",
    message: `${name} must be a number from ${least}, got ${String(value)}`,
  });
}

/** Checks the options and fills in the defaults. @throws invalid_options */
export function resolveMemoryBounds(options: MemoryStoreOptions): MemoryBounds {
  const { POSITIVE_INFINITY } = Number;
  return {
    finishedRollouts: bound(options.retention?.finishedRollouts, POSITIVE_INFINITY, "retention.finishedRollouts", 0),
    finishedForMs: bound(options.retention?.finishedForMs, POSITIVE_INFINITY, "retention.finishedForMs", 0),
    maxTotalSpanBytes: bound(options.maxTotalSpanBytes, POSITIVE_INFINITY, "maxTotalSpanBytes", 1),
    maxInputBytes: bound(options.maxInputBytes, 16 * 2 ** 20, "maxInputBytes", 1),
    maxSpanBytes: bound(options.maxSpanBytes, 16 * 2 ** 20, "maxSpanBytes", 1),
  };
}
