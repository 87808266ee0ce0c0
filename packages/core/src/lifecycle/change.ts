import type { Attempt, AttemptChanges } from "../attempt.ts";
import type { Rollout, RolloutStatus } from "../rollout.ts";
import { cancel, endAttempt } from "./end.ts";
import { latestAttempt, type RolloutRecord } from "./record.ts";
import { isFinalAttemptStatus, isLiveAttemptStatus, isQueuedStatus, isTerminalStatus } from "./status.ts";
import {
  evolve,
  patchFields,
  replaceAttempt,
  type Transition,
  type TransitionContext,
  type WorkerEffect,
} from "./transition.ts";

/** Whether a rollout may be given this status from outside: terminal is final, except for a reopen by queueing. */
export function mayChangeStatus(from: RolloutStatus, to: RolloutStatus): boolean {
  return !isTerminalStatus(from) || isQueuedStatus(to);
}

/** Changes a rollout from outside; `changes` holds final values, `undefined` clears. A status that may not be given is passed over. */
export function changeRollout(
  record: RolloutRecord,
  changes: { readonly [K in keyof Rollout]?: Rollout[K] | undefined },
  context: TransitionContext,
): Transition {
  const { status, ...fields } = changes;
  const patched: RolloutRecord = { ...record, rollout: patchFields<Rollout>(record.rollout, fields) };
  const allowed = status !== undefined && mayChangeStatus(record.rollout.status, status);
  if (!allowed) return { record: evolve(patched, {}, context), workers: [] };
  if (status === "cancelled") return cancel(patched, {}, context);
  return { record: evolve(patched, { rollout: { status } }, context), workers: [] };
}

/** The reference's attempt update: obeyed unless the attempt ended for good, in which case its status stays. */
export function changeAttempt(
  record: RolloutRecord,
  attempt: Attempt,
  changes: AttemptChanges,
  context: TransitionContext,
): Transition {
  const { status, workerId, lastHeartbeatTimeMs, metadata } = changes;
  const fields = {
    ...(workerId === undefined ? {} : { workerId }),
    ...(lastHeartbeatTimeMs === undefined ? {} : { lastHeartbeatTimeMs }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  const isPatched = Object.keys(fields).length > 0;
  const patched = isPatched ? patchFields<Attempt>(attempt, fields) : attempt;
  const base: RolloutRecord = isPatched ? { ...record, attempts: replaceAttempt(record.attempts, patched) } : record;
  const busy: readonly WorkerEffect[] =
    patched.workerId === undefined || !isLiveAttemptStatus(patched.status)
      ? []
      : [{ kind: "busy", workerId: patched.workerId, rolloutId: patched.rolloutId, attemptId: patched.attemptId }];
  if (status === undefined || isFinalAttemptStatus(attempt.status)) {
    return { record: evolve(base, {}, context), workers: workerId === undefined ? [] : busy };
  }
  if (status !== "preparing" && status !== "running") return endAttempt(base, patched, { status }, context);
  const live = patchFields<Attempt>(patched, { status, endTimeMs: undefined, endReason: undefined });
  const isLatest = latestAttempt(record)?.attemptId === attempt.attemptId;
  const moves = isLatest && !isTerminalStatus(record.rollout.status);
  return {
    record: evolve(
      base,
      { attempts: replaceAttempt(base.attempts, live), ...(moves ? { rollout: { status } } : {}) },
      context,
    ),
    workers:
      live.workerId === undefined
        ? []
        : [{ kind: "busy", workerId: live.workerId, rolloutId: live.rolloutId, attemptId: live.attemptId }],
  };
}
