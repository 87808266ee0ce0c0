import type { Attempt } from "../attempt.ts";
import type { AttemptedRollout, Rollout } from "../rollout.ts";

/** A rollout as a driver keeps it: one document, so that each transition is one atomic write. */
export interface RolloutRecord {
  /** Without `attempt`. */
  readonly rollout: Rollout;
  /** Every attempt, oldest first. */
  readonly attempts: readonly Attempt[];
  /** Moves with each change of status or fields; span counts and heartbeats leave it alone. */
  readonly revision: number;
  /** The last span sequence number given. */
  readonly spanCounter: number;
  /** Its place while it waits in the queue: lower goes first. Unset when it doesn't wait. */
  readonly queuePosition?: number;
  /** Since when it waits in the queue; epoch milliseconds. Unset when it doesn't wait. */
  readonly queuedTimeMs?: number;
  /** When its latest attempt, or its wait in the queue, has to be judged; epoch milliseconds. Unset: never. */
  readonly nextDeadlineMs?: number;
}

/** The latest attempt, if there is one. */
export function latestAttempt(record: RolloutRecord): Attempt | undefined {
  return record.attempts.at(-1);
}

/** The attempt with this id, if the rollout has one. Searched from the end: most calls are about the latest. */
export function findAttempt(record: RolloutRecord, attemptId: string): Attempt | undefined {
  return record.attempts.findLast((attempt) => attempt.attemptId === attemptId);
}

/** The rollout as callers see it, with its latest attempt. */
export function presentRollout(record: RolloutRecord): Rollout {
  const attempt = latestAttempt(record);
  return attempt === undefined ? record.rollout : Object.freeze({ ...record.rollout, attempt });
}

/** The rollout with the attempt it must have. */
export function presentAttempted(record: RolloutRecord): AttemptedRollout {
  const attempt = latestAttempt(record);
  if (attempt === undefined) throw new TypeError(`rollout ${record.rollout.rolloutId} has no attempt`);
  return Object.freeze({ ...record.rollout, attempt });
}
