import type { AttemptStatus } from "../attempt.ts";
import type { RolloutStatus } from "../rollout.ts";

/** Whether a rollout in this status waits in the queue. */
export function isQueuedStatus(status: RolloutStatus): boolean {
  return status === "queuing" || status === "requeuing";
}

/** Whether a rollout in this status is finished: only a reopen changes it. */
export function isTerminalStatus(status: RolloutStatus): boolean {
  return status === "failed" || status === "succeeded" || status === "cancelled";
}

/** Whether an attempt in this status is being worked on. */
export function isLiveAttemptStatus(status: AttemptStatus): boolean {
  return status === "preparing" || status === "running";
}

/** Whether an attempt in this status has ended for good; `unresponsive` may be revived. */
export function isFinalAttemptStatus(status: AttemptStatus): boolean {
  return status === "failed" || status === "succeeded" || status === "timeout";
}
