import { LightningError } from "@agentlightning/core";
import { shown } from "./validate.ts";

/** Which finished rollouts are dropped, whole: record, attempts and spans. Unset bounds keep everything. */
export interface RetentionOptions {
  /** Keep at most this many finished rollouts; those that ended first go first. */
  readonly finishedRollouts?: number | undefined;
  /** Keep finished rollouts at most this long, in milliseconds. */
  readonly finishedForMs?: number | undefined;
  /** Bound on the estimated bytes of all spans; beyond it finished rollouts are dropped, and when those do not suffice writes are refused with `store_full`. Only for a driver that counts them. */
  readonly maxTotalSpanBytes?: number | undefined;
}

/** The bounds with defaults filled in. */
export interface RetentionBounds {
  readonly finishedRollouts: number;
  readonly finishedForMs: number;
  readonly maxTotalSpanBytes: number;
}

function bound(value: number | undefined, name: string, least: number): number {
  if (value === undefined) return Number.POSITIVE_INFINITY;
  if (typeof value === "number" && value >= least) return value;
  throw new LightningError({
    code: "invalid_options",
    message: `${name} must be a number from ${least}, got ${shown(value)}`,
  });
}

/** Checks the options; `undefined` when nothing is bounded. @throws invalid_options */
export function resolveRetention(options: RetentionOptions = {}): RetentionBounds | undefined {
  const bounds = {
    finishedRollouts: bound(options.finishedRollouts, "retention.finishedRollouts", 0),
    finishedForMs: bound(options.finishedForMs, "retention.finishedForMs", 0),
    maxTotalSpanBytes: bound(options.maxTotalSpanBytes, "retention.maxTotalSpanBytes", 1),
  };
  return Object.values(bounds).some(Number.isFinite) ? bounds : undefined;
}
