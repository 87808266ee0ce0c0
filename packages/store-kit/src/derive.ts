import type { Span, Worker } from "@agentlightning/core";
import { findAttempt, isQueuedStatus, latestAttempt, renew, type RolloutRecord } from "@agentlightning/core/lifecycle";
import type { DriverChange, SpanDraft, WorkerPatch } from "./driver.ts";

/** Numbers drafts that are new, and gives the record with its counter moved and the heartbeats of their attempts stamped. */
export function acceptSpans(
  record: RolloutRecord,
  drafts: readonly SpanDraft[],
  nowMs: number,
): { readonly record: RolloutRecord; readonly spans: readonly Span[] } {
  let counter = record.spanCounter;
  let next = record;
  let lastId: string | undefined;
  const spans = drafts.map(({ span }): Span => {
    span.sequenceId ??= counter + 1;
    counter = Math.max(counter, span.sequenceId);
    if (span.attemptId !== lastId) {
      lastId = span.attemptId;
      const attempt = findAttempt(next, lastId);
      if (attempt !== undefined) next = renew(next, attempt, undefined, nowMs);
    }
    return Object.freeze(span) as Span;
  });
  return { record: { ...next, spanCounter: counter }, spans };
}

/** The worker after a patch; a patch meant for an attempt that the worker no longer has leaves it as it is. */
export function patchedWorker(workerId: string, current: Worker | undefined, patch: WorkerPatch): Worker {
  const known: Worker = current ?? Object.freeze({ workerId, status: "unknown" });
  if (patch.onlyIfAttemptId !== undefined && known.currentAttemptId !== patch.onlyIfAttemptId) return known;
  return Object.freeze({ ...(patch.clearCurrent === true ? withoutCurrent(known) : known), ...patch.set });
}

/** A copy by rest instead of `delete`, which would make the record slow for good. */
function withoutCurrent({ currentRolloutId: _rolloutId, currentAttemptId: _attemptId, ...rest }: Worker): Worker {
  return rest;
}

/** What the feed has to announce when a record replaces another, if anything. */
export function announcedChange(
  previous: RolloutRecord | undefined,
  next: RolloutRecord,
): Omit<DriverChange, "sequence"> | undefined {
  const { rolloutId, status, endTimeMs } = next.rollout;
  if (previous?.rollout.status === status && previous.attempts.length === next.attempts.length) return undefined;
  const attemptId = latestAttempt(next)?.attemptId;
  const queued = isQueuedStatus(status);
  return attemptId === undefined
    ? { rolloutId, status, queued, endTimeMs }
    : { rolloutId, status, queued, attemptId, endTimeMs };
}
