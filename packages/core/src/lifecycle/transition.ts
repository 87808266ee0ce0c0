import type { Attempt } from "../attempt.ts";
import type { Rollout } from "../rollout.ts";
import { nextDeadlineMs } from "./deadline.ts";
import type { RolloutRecord } from "./record.ts";
import { isQueuedStatus, isTerminalStatus } from "./status.ts";

/** What a transition means for a worker; guarded by the attempt so that a stale report frees nobody. */
export type WorkerEffect =
  | { readonly kind: "busy"; readonly workerId: string; readonly rolloutId: string; readonly attemptId: string }
  | { readonly kind: "idle" | "unknown"; readonly workerId: string; readonly attemptId: string };

/** When and in what order: `queuePosition(place)` gives the next place at an end of the queue. */
export interface TransitionContext {
  readonly nowMs: number;
  readonly queuePosition: (place: "head" | "tail") => number;
}

/** The next record, and what follows from it. */
export interface Transition {
  readonly record: RolloutRecord;
  readonly workers: readonly WorkerEffect[];
}

/** Fields of a record to change; the rest follows from them. */
export interface RecordPatch {
  readonly rollout?: Partial<Rollout>;
  readonly attempts?: readonly Attempt[];
  readonly place?: "head" | "tail";
}

/** Copies without the keys whose new value is `undefined`. */
export function patchFields<T extends object>(target: T, patch: { readonly [K in keyof T]?: T[K] | undefined }): T {
  const next = { ...target };
  for (const key in patch) {
    const value = patch[key];
    if (value !== undefined) next[key] = value;
    else if (Object.hasOwn(next, key)) Reflect.deleteProperty(next, key);
  }
  return Object.freeze(next);
}

/** The rollout with its end as it has to be; itself where nothing changes. */
function evolveRollout(
  rollout: Rollout,
  patch: Partial<Rollout> | undefined,
  endTimeMs: Rollout["endTimeMs"],
  endReason: Rollout["endReason"],
): Rollout {
  if (endTimeMs !== rollout.endTimeMs || endReason !== rollout.endReason)
    return patchFields<Rollout>(rollout, { ...patch, endTimeMs, endReason });
  return patch === undefined ? rollout : patchFields<Rollout>(rollout, patch);
}

/** Applies a patch and keeps the record's derived fields true: end time, queue position, deadline, revision. */
export function evolve(record: RolloutRecord, patch: RecordPatch, context: TransitionContext): RolloutRecord {
  const status = patch.rollout?.status ?? record.rollout.status;
  const becameTerminal = isTerminalStatus(status) && !isTerminalStatus(record.rollout.status);
  const endTimeMs = becameTerminal ? context.nowMs : isTerminalStatus(status) ? record.rollout.endTimeMs : undefined;
  const endReason = isTerminalStatus(status) ? (patch.rollout?.endReason ?? record.rollout.endReason) : undefined;
  const rollout = evolveRollout(record.rollout, patch.rollout, endTimeMs, endReason);
  const attempts = patch.attempts ?? record.attempts;
  const queuePosition = !isQueuedStatus(status)
    ? undefined
    : (record.queuePosition ?? context.queuePosition(patch.place ?? "tail"));
  const queuedTimeMs =
    queuePosition === undefined
      ? undefined
      : record.queuePosition === undefined
        ? context.nowMs
        : (record.queuedTimeMs ?? context.nowMs);
  const deadlineMs = nextDeadlineMs(rollout, attempts.at(-1), queuedTimeMs);
  const { spanCounter } = record;
  const revision = record.revision + 1;
  // Most writes by far: work in progress, or done.
  if (queuePosition === undefined && deadlineMs === undefined) return { rollout, attempts, revision, spanCounter };
  return {
    rollout,
    attempts,
    revision,
    spanCounter,
    ...(queuePosition === undefined ? {} : { queuePosition, queuedTimeMs: queuedTimeMs ?? context.nowMs }),
    ...(deadlineMs === undefined ? {} : { nextDeadlineMs: deadlineMs }),
  };
}

/** Replaces one attempt of a list. */
export function replaceAttempt(attempts: readonly Attempt[], next: Attempt): readonly Attempt[] {
  if (attempts.length === 1 && attempts[0]?.attemptId === next.attemptId) return [next];
  return attempts.map((attempt) => (attempt.attemptId === next.attemptId ? next : attempt));
}
