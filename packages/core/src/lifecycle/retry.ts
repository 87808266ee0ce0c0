import type { Attempt, AttemptEndReason } from "../attempt.ts";
import type { Rollout } from "../rollout.ts";
import type { RetryableAttemptStatus } from "../store-outcomes.ts";

/** At most this many attempts fit a record. */
export const maxAttemptsPerRollout = 1_000;

/** Where the end of an attempt leads its rollout. */
export type RetryDecision =
  | { readonly next: "requeue"; readonly place: "head" | "tail"; readonly lostAttempts: number }
  | { readonly next: "fail"; readonly lostAttempts: number };

/** Ends that are the infrastructure's doing: they spend `maxLostAttempts`, not the agent's `maxAttempts`. */
export function isLostReason(reason: AttemptEndReason | undefined): boolean {
  return reason === "lease_expired" || reason === "released" || reason === "undelivered";
}

/**
 * The one retry formula: an agent's failure is retried while its kind is in `retryCondition` and
 * `sequenceId − lostAttempts < maxAttempts`; a lost attempt while `lostAttempts` has not passed `maxLostAttempts`.
 */
export function decideRetry(
  rollout: Rollout,
  attempt: Attempt,
  status: RetryableAttemptStatus,
  reason: AttemptEndReason | undefined,
): RetryDecision {
  const { config } = rollout;
  if (attempt.sequenceId >= maxAttemptsPerRollout) return { next: "fail", lostAttempts: rollout.lostAttempts };
  if (isLostReason(reason)) {
    const lostAttempts = rollout.lostAttempts + 1;
    if (lostAttempts > config.maxLostAttempts) return { next: "fail", lostAttempts };
    return { next: "requeue", place: reason === "lease_expired" ? "tail" : "head", lostAttempts };
  }
  const { lostAttempts } = rollout;
  const left = attempt.sequenceId - lostAttempts < config.maxAttempts;
  if (left && config.retryCondition.includes(status)) return { next: "requeue", place: "tail", lostAttempts };
  return { next: "fail", lostAttempts };
}
