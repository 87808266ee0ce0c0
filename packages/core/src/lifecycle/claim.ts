import type { Attempt } from "../attempt.ts";
import type { RolloutRecord } from "./record.ts";
import { evolve, type Transition, type TransitionContext } from "./transition.ts";

/** The attempt to be made. */
export interface NewAttempt {
  readonly attemptId: string;
  readonly workerId?: string | undefined;
  readonly leaseMs?: number | undefined;
  readonly requestId?: string | undefined;
}

/** Makes the next attempt `preparing` and takes the rollout out of the queue: a claim, a direct start, or a start by hand (which reopens). */
export function beginAttempt(record: RolloutRecord, request: NewAttempt, context: TransitionContext): Transition {
  const { rolloutId } = record.rollout;
  const { attemptId, workerId, leaseMs, requestId } = request;
  const attempt: Attempt = Object.freeze({
    rolloutId,
    attemptId,
    sequenceId: record.attempts.length + 1,
    startTimeMs: context.nowMs,
    status: "preparing",
    ...(workerId === undefined ? {} : { workerId }),
    ...(leaseMs === undefined ? {} : { leaseExpiresAtMs: context.nowMs + leaseMs }),
    ...(requestId === undefined ? {} : { requestId }),
  });
  return {
    record: evolve(record, { rollout: { status: "preparing" }, attempts: [...record.attempts, attempt] }, context),
    workers: workerId === undefined ? [] : [{ kind: "busy", workerId, rolloutId, attemptId }],
  };
}
