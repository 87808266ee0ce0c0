import {
  type Attempt,
  type AttemptChanges,
  type AttemptedRollout,
  type AttemptReport,
  type LeaseOutcome,
  LightningError,
  type LostReason,
  NotFoundError,
  type ReportOutcome,
  type WorkOptions,
} from "@agentlightning/core";
import {
  type AttemptEnd,
  beginAttempt,
  changeAttempt,
  endAttempt,
  findAttempt,
  holding,
  isLiveAttemptStatus,
  isRevivableByRenewal,
  latestAttempt,
  maxAttemptsPerRollout,
  presentAttempted,
  renew,
  reviveByRenewal,
  type RolloutRecord,
} from "@agentlightning/core/lifecycle";
import { type Awaitable, chain } from "./awaitable.ts";
import { checkAttemptChanges, checkReport } from "./check-changes.ts";
import type { StoreParts } from "./parts.ts";
import { attemptNotFound } from "./span-writer.ts";
import { checkNumber, checkObject, checkOptionalId, checkText } from "./validate.ts";

/** What a runner says about its attempts, and what it is told. */
export class AttemptDesk {
  readonly #parts: StoreParts;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  start(rolloutId: string, options: WorkOptions): Awaitable<AttemptedRollout> {
    const { transitions, runtime } = this.#parts;
    checkObject(options, "options");
    const requestId = checkOptionalId(options.idempotencyKey, "idempotencyKey");
    const workerId = checkOptionalId(options.workerId, "workerId");
    const started = transitions.apply(rolloutId, (current, context) => {
      if (requestId !== undefined && latestAttempt(current)?.requestId === requestId) return undefined;
      requireRoom(current);
      return beginAttempt(current, { attemptId: runtime.ids.attemptId(), workerId, requestId }, context);
    });
    return chain(started, presentAttempted);
  }

  update(rolloutId: string, attemptId: string, changes: AttemptChanges): Awaitable<Attempt> {
    const { transitions, copyOptions } = this.#parts;
    checkText(attemptId, "attemptId");
    const checked = checkAttemptChanges(changes, copyOptions);
    let found = attemptId;
    const changed = transitions.apply(rolloutId, (current, context) => {
      if (current.attempts.length === 0) {
        throw new NotFoundError({
          code: "attempt_not_found",
          message: `No attempts found for rollout ${rolloutId}`,
          details: { rolloutId },
        });
      }
      const attempt = attemptId === "latest" ? latestAttempt(current) : findAttempt(current, attemptId);
      if (attempt === undefined) throw attemptNotFound(rolloutId, attemptId);
      found = attempt.attemptId;
      return changeAttempt(current, attempt, checked, context);
    });
    return chain(changed, (record) => attemptOf(record, found));
  }

  report(rolloutId: string, attemptId: string, report: AttemptReport): Awaitable<ReportOutcome> {
    return this.#end(rolloutId, attemptId, checkReport(report));
  }

  release(rolloutId: string, attemptId: string, reason: string | undefined): Awaitable<ReportOutcome> {
    return this.#end(rolloutId, attemptId, { status: "unresponsive", endReason: "released", error: reason });
  }

  #end(rolloutId: string, attemptId: string, end: AttemptEnd): Awaitable<ReportOutcome> {
    checkText(attemptId, "attemptId");
    let lost: LostReason | undefined;
    let wasLive = true;
    const ended = this.#parts.transitions.apply(rolloutId, (current, context) => {
      const held = holding(current, attemptId);
      if (held.attempt === undefined) throw attemptNotFound(rolloutId, attemptId);
      lost = held.lost;
      wasLive = isLiveAttemptStatus(held.attempt.status);
      // A superseded attempt that still runs is ended on its own record; the rollout does not move.
      if (lost === undefined || (lost === "superseded" && wasLive)) {
        return endAttempt(current, held.attempt, end, context);
      }
      return undefined;
    });
    return chain(ended, (record): ReportOutcome => {
      const attempt = attemptOf(record, attemptId);
      if (lost === undefined) return { status: "applied", attempt };
      const repeated = !wasLive && attempt.status === end.status && attempt.endReason === end.endReason;
      return repeated ? { status: "applied", attempt } : { status: "lost", reason: lost, attempt };
    });
  }

  async renew(rolloutId: string, attemptId: string, leaseMs: number): Promise<LeaseOutcome> {
    checkNumber(leaseMs, "leaseMs", 1, false);
    const outcome = await this.#stamp(rolloutId, attemptId, leaseMs);
    if (typeof outcome === "string") return { status: "lost", reason: outcome };
    return { status: "held", leaseExpiresAtMs: outcome.leaseExpiresAtMs ?? this.#parts.runtime.clock.nowMs() };
  }

  async heartbeat(rolloutId: string, attemptId: string): Promise<LeaseOutcome | { readonly status: "held" }> {
    const outcome = await this.#stamp(rolloutId, attemptId, undefined);
    return typeof outcome === "string" ? { status: "lost", reason: outcome } : { status: "held" };
  }

  /** Stamps a live attempt; the attempt as it then stands, or why it is lost. */
  async #stamp(rolloutId: string, attemptId: string, leaseMs: number | undefined): Promise<Attempt | LostReason> {
    checkText(attemptId, "attemptId");
    let outcome: Attempt | LostReason = "not_found";
    try {
      await this.#parts.transitions.apply(rolloutId, (current, context) => {
        const held = holding(current, attemptId);
        outcome = held.lost ?? held.attempt;
        const { attempt } = held;
        if (held.lost === undefined) {
          const record = renew(current, held.attempt, leaseMs, context.nowMs);
          outcome = attemptOf(record, attemptId);
          return { record, workers: [] };
        }
        if (attempt === undefined || leaseMs === undefined || !isRevivableByRenewal(current, attempt)) return undefined;
        const revived = reviveByRenewal(current, attempt, leaseMs, context);
        outcome = attemptOf(revived.record, attemptId);
        return revived;
      });
    } catch (cause) {
      if (!LightningError.isInstance(cause, "rollout_not_found") && !LightningError.isInstance(cause, "evicted")) {
        throw cause;
      }
      return "not_found";
    }
    return outcome;
  }
}

/** Refuses one attempt too many. @throws attempt_limit */
export function requireRoom(record: RolloutRecord): void {
  if (record.attempts.length < maxAttemptsPerRollout) return;
  const { rolloutId } = record.rollout;
  throw new LightningError({
    code: "attempt_limit",
    message: `rollout ${rolloutId} has ${record.attempts.length} attempts already; start a new rollout`,
    details: { rolloutId },
  });
}

function attemptOf(record: RolloutRecord, attemptId: string): Attempt {
  const attempt = findAttempt(record, attemptId);
  if (attempt !== undefined) return attempt;
  throw new LightningError({ code: "invariant", message: `attempt ${attemptId} vanished while it was written` });
}
