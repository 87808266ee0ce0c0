import type { StoreStatistics } from "@agentlightning/core";
import type { DriverCounts } from "./driver.ts";

/** A driver's numbers as callers see them. */
export function describeCounts(name: string, counts: DriverCounts, uptimeMs: number): StoreStatistics {
  return Object.freeze({
    name,
    totalRollouts: counts.rollouts,
    totalAttempts: counts.attempts,
    totalSpans: counts.spans,
    totalResources: counts.resources,
    totalWorkers: counts.workers,
    queuedRollouts: counts.queued,
    uptimeMs,
    ...(counts.spanBytes === undefined ? {} : { totalSpanBytes: counts.spanBytes }),
  });
}
