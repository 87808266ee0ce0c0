import type { Attempt } from "../attempt.ts";
import { latestAttempt, type RolloutRecord } from "./record.ts";
import { isTerminalStatus } from "./status.ts";
import { evolve, patchFields, replaceAttempt, type TransitionContext } from "./transition.ts";

/** Whether a span moves this attempt to `running`: the first one does, and one that revives an unleased, silent attempt; one that was handed back stays so. */
export function spanMovesAttempt(attempt: Attempt): boolean {
  if (attempt.status === "preparing") return true;
  // A leased attempt is revived by its runner's renewal alone: a late batch says nothing of who runs it now.
  const isSilent = attempt.status === "unresponsive" && attempt.endReason !== "released";
  return isSilent && attempt.leaseExpiresAtMs === undefined;
}

/**
 * The record after the first span of an attempt (or a reviving one). Only the latest attempt moves the rollout, from
 * `preparing`, or from `requeuing` when it revives: then its queued retry is withdrawn. A failed or timed-out attempt
 * is never revived (the reference loses its retry that way).
 */
export function arriveFirstSpan(record: RolloutRecord, attempt: Attempt, context: TransitionContext): RolloutRecord {
  const running = patchFields<Attempt>(attempt, {
    status: "running",
    lastHeartbeatTimeMs: context.nowMs,
    endTimeMs: undefined,
    endReason: undefined,
  });
  const attempts = replaceAttempt(record.attempts, running);
  const { status } = record.rollout;
  const isLatest = latestAttempt(record)?.attemptId === attempt.attemptId;
  const moves =
    isLatest &&
    !isTerminalStatus(status) &&
    (status === "preparing" || (status === "requeuing" && attempt.status === "unresponsive"));
  return evolve(record, { attempts, ...(moves ? { rollout: { status: "running" as const } } : {}) }, context);
}
