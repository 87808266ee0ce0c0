import type { Attempt } from "../attempt.ts";
import type { Rollout } from "../rollout.ts";
import { isLiveAttemptStatus, isQueuedStatus } from "./status.ts";

/** What is wrong with an attempt whose time has come. Timeout is judged first, as in the reference. */
export type DeadlineVerdict = "timeout" | "lease_expired" | "unresponsive";

function bounds(rollout: Rollout, attempt: Attempt): readonly (readonly [DeadlineVerdict, number])[] {
  const { timeoutMs, unresponsiveMs } = rollout.config;
  const found: (readonly [DeadlineVerdict, number])[] = [];
  if (timeoutMs !== undefined) found.push(["timeout", attempt.startTimeMs + timeoutMs]);
  if (attempt.leaseExpiresAtMs !== undefined) found.push(["lease_expired", attempt.leaseExpiresAtMs]);
  if (unresponsiveMs !== undefined) {
    found.push(["unresponsive", (attempt.lastHeartbeatTimeMs ?? attempt.startTimeMs) + unresponsiveMs]);
  }
  return found;
}

/**
 * The earliest moment after which the latest attempt (of a rollout in `preparing` or `running`) or the wait in the
 * queue has to be judged, or none.
 */
export function nextDeadlineMs(
  rollout: Rollout,
  attempt: Attempt | undefined,
  queuedTimeMs: number | undefined,
): number | undefined {
  if (isQueuedStatus(rollout.status)) {
    const { claimWithinMs } = rollout.config;
    return claimWithinMs === undefined || queuedTimeMs === undefined ? undefined : queuedTimeMs + claimWithinMs;
  }
  if (rollout.status !== "preparing" && rollout.status !== "running") return undefined;
  if (attempt === undefined || !isLiveAttemptStatus(attempt.status)) return undefined;
  const { timeoutMs, unresponsiveMs } = rollout.config;
  const { leaseExpiresAtMs } = attempt;
  // The ordinary case by far, asked for at every write.
  if (timeoutMs === undefined && unresponsiveMs === undefined) return leaseExpiresAtMs;
  return Math.min(...bounds(rollout, attempt).map(([, timeMs]) => timeMs));
}

/** The verdict at `nowMs`: strictly later than a bound, as in the reference. */
export function judgeDeadline(rollout: Rollout, attempt: Attempt, nowMs: number): DeadlineVerdict | undefined {
  return bounds(rollout, attempt).find(([, timeMs]) => nowMs > timeMs)?.[0];
}
