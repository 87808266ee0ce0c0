import type { Attempt, AttemptEndReason, AttemptStatus } from "../attempt.ts";
import type { JsonObject } from "../json.ts";
import { judgeDeadline } from "./deadline.ts";
import { latestAttempt, type RolloutRecord } from "./record.ts";
import { decideRetry } from "./retry.ts";
import { isLiveAttemptStatus, isQueuedStatus, isTerminalStatus } from "./status.ts";
import {
  evolve,
  patchFields,
  type RecordPatch,
  replaceAttempt,
  type Transition,
  type TransitionContext,
  type WorkerEffect,
} from "./transition.ts";

/** How an attempt ends, and what is noted on it. */
export interface AttemptEnd {
  readonly status: Exclude<AttemptStatus, "preparing" | "running">;
  readonly endReason?: AttemptEndReason | undefined;
  readonly error?: string | undefined;
  readonly droppedSpans?: number | undefined;
  readonly workerId?: string | undefined;
  readonly metadata?: JsonObject | undefined;
}

/** What the end of an attempt does to its worker. */
export function workerEffectOfEnd(attempt: Attempt, status: AttemptStatus): readonly WorkerEffect[] {
  if (attempt.workerId === undefined) return [];
  const kind = status === "succeeded" || status === "failed" ? "idle" : "unknown";
  return [{ kind, workerId: attempt.workerId, attemptId: attempt.attemptId }];
}

/** Where the rollout goes when its latest attempt ends; a terminal rollout stays as it is. */
function rolloutAfterEnd(record: RolloutRecord, attempt: Attempt, end: AttemptEnd): RecordPatch {
  if (isTerminalStatus(record.rollout.status)) return {};
  if (end.status === "succeeded") return { rollout: { status: "succeeded" } };
  const decision = decideRetry(record.rollout, attempt, end.status, end.endReason);
  const { lostAttempts } = decision;
  if (decision.next === "fail") return { rollout: { status: "failed", lostAttempts } };
  return { rollout: { status: "requeuing", lostAttempts }, place: decision.place };
}

/** Ends one attempt; only the latest one moves the rollout. */
export function endAttempt(
  record: RolloutRecord,
  attempt: Attempt,
  end: AttemptEnd,
  context: TransitionContext,
): Transition {
  const ended = patchFields<Attempt>(attempt, {
    status: end.status,
    endTimeMs: context.nowMs,
    ...(end.endReason === undefined ? {} : { endReason: end.endReason }),
    ...(end.error === undefined ? {} : { error: end.error }),
    ...(end.droppedSpans === undefined ? {} : { droppedSpans: end.droppedSpans }),
    ...(end.workerId === undefined ? {} : { workerId: end.workerId }),
    ...(end.metadata === undefined ? {} : { metadata: end.metadata }),
  });
  const attempts = replaceAttempt(record.attempts, ended);
  const isLatest = latestAttempt(record)?.attemptId === attempt.attemptId;
  const patch = isLatest ? rolloutAfterEnd(record, attempt, end) : {};
  return { record: evolve(record, { ...patch, attempts }, context), workers: workerEffectOfEnd(ended, end.status) };
}

/** Ends the latest attempt, or the wait in the queue, if its time has come; `undefined` when nothing is due. */
export function expire(record: RolloutRecord, context: TransitionContext): Transition | undefined {
  if (record.nextDeadlineMs === undefined || context.nowMs <= record.nextDeadlineMs) return undefined;
  if (isQueuedStatus(record.rollout.status)) {
    return { record: evolve(record, { rollout: { status: "failed", endReason: "unclaimed" } }, context), workers: [] };
  }
  const attempt = latestAttempt(record);
  if (attempt === undefined) return undefined;
  const verdict = judgeDeadline(record.rollout, attempt, context.nowMs);
  if (verdict === undefined) return undefined;
  const status = verdict === "timeout" ? "timeout" : "unresponsive";
  return endAttempt(record, attempt, { status, endReason: verdict }, context);
}

/** Ends the live attempt of a rollout that is cancelled. */
export function cancel(
  record: RolloutRecord,
  changes: Partial<RolloutRecord["rollout"]>,
  context: TransitionContext,
): Transition {
  const attempt = latestAttempt(record);
  const rollout = { ...changes, status: "cancelled" as const };
  if (attempt === undefined || !isLiveAttemptStatus(attempt.status)) {
    return { record: evolve(record, { rollout }, context), workers: [] };
  }
  const ended = patchFields<Attempt>(attempt, { status: "failed", endTimeMs: context.nowMs, endReason: "cancelled" });
  return {
    record: evolve(record, { rollout, attempts: replaceAttempt(record.attempts, ended) }, context),
    workers: workerEffectOfEnd(ended, "failed"),
  };
}
