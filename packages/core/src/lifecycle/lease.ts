import type { Attempt } from "../attempt.ts";
import type { LostReason } from "../store-outcomes.ts";
import { nextDeadlineMs } from "./deadline.ts";
import { findAttempt, latestAttempt, type RolloutRecord } from "./record.ts";
import { isLiveAttemptStatus } from "./status.ts";
import { evolve, patchFields, replaceAttempt, type Transition, type TransitionContext } from "./transition.ts";

/** Whether an attempt holds its rollout; `lost` says why not. */
export type Holding =
  | { readonly attempt: Attempt; readonly lost?: undefined }
  | { readonly attempt?: Attempt; readonly lost: LostReason };

/** Whether an attempt still holds its rollout, and if not why. */
export function holding(record: RolloutRecord, attemptId: string): Holding {
  const attempt = findAttempt(record, attemptId);
  if (attempt === undefined) return { lost: "not_found" };
  if (latestAttempt(record)?.attemptId !== attemptId) return { lost: "superseded", attempt };
  if (attempt.endReason === "cancelled" || record.rollout.status === "cancelled") return { lost: "cancelled", attempt };
  return isLiveAttemptStatus(attempt.status) ? { attempt } : { lost: "ended", attempt };
}

/** A live attempt with its lease extended, never shortened (when `leaseMs` is given) and its heartbeat stamped; the revision stays. The same record when there is nothing to stamp. */
export function renew(
  record: RolloutRecord,
  attempt: Attempt,
  leaseMs: number | undefined,
  nowMs: number,
): RolloutRecord {
  if (leaseMs === undefined && attempt.lastHeartbeatTimeMs !== undefined && attempt.lastHeartbeatTimeMs >= nowMs) {
    return record;
  }
  const renewed = patchFields<Attempt>(attempt, {
    lastHeartbeatTimeMs: Math.max(nowMs, attempt.lastHeartbeatTimeMs ?? 0),
    ...(leaseMs === undefined ? {} : { leaseExpiresAtMs: Math.max(nowMs + leaseMs, attempt.leaseExpiresAtMs ?? 0) }),
  });
  const { nextDeadlineMs: _previous, ...rest } = record;
  const attempts = replaceAttempt(record.attempts, renewed);
  // Only the latest attempt has a deadline, whichever one was stamped.
  const deadlineMs = nextDeadlineMs(record.rollout, attempts.at(-1), record.queuedTimeMs);
  return { ...rest, attempts, ...(deadlineMs === undefined ? {} : { nextDeadlineMs: deadlineMs }) };
}

/** Whether a renewal may bring this attempt back: its lease ran out, and nobody has claimed the rollout since. */
export function isRevivableByRenewal(record: RolloutRecord, attempt: Attempt): boolean {
  return (
    attempt.status === "unresponsive" &&
    attempt.endReason === "lease_expired" &&
    record.rollout.status === "requeuing" &&
    latestAttempt(record)?.attemptId === attempt.attemptId
  );
}

/** The attempt runs again, its queued retry is withdrawn, and the loss is taken back. */
export function reviveByRenewal(
  record: RolloutRecord,
  attempt: Attempt,
  leaseMs: number,
  context: TransitionContext,
): Transition {
  const revived = patchFields<Attempt>(attempt, {
    status: "running",
    endTimeMs: undefined,
    endReason: undefined,
    lastHeartbeatTimeMs: context.nowMs,
    leaseExpiresAtMs: context.nowMs + leaseMs,
  });
  const rollout = { status: "running" as const, lostAttempts: Math.max(0, record.rollout.lostAttempts - 1) };
  return {
    record: evolve(record, { rollout, attempts: replaceAttempt(record.attempts, revived) }, context),
    workers:
      revived.workerId === undefined
        ? []
        : [{ kind: "busy", workerId: revived.workerId, rolloutId: revived.rolloutId, attemptId: revived.attemptId }],
  };
}
