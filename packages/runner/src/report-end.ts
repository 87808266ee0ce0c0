import {
  type AttemptEndReason,
  LightningError,
  type LightningStore,
  type Logger,
  type ReportOutcome,
} from "@agentlightning/core";
import { errorText } from "./error-text.ts";
import type { AttemptOutcome } from "./hooks.ts";
import type { ResolvedRunnerOptions } from "./options.ts";
import { retryWhileAway } from "./retry.ts";
import type { RunningAttempt } from "./running-attempt.ts";
import { type Bounded, waitAtMost } from "./wait.ts";

/** What is reported of an attempt's end. */
export interface EndReport {
  readonly outcome: AttemptOutcome;
  /** Why, as text. */
  readonly error: string | undefined;
  readonly droppedSpans: number;
}

/** What reporting needs. */
export interface ReportContext {
  readonly options: ResolvedRunnerOptions;
  readonly log: Logger;
  /** Ends the repetitions, when the runner has no time left. */
  readonly hurry: AbortSignal;
}

/** An end as the store has it; `unreported` when the store could not be told: its deadlines will end the attempt. */
export type ReportedOutcome = AttemptOutcome | "unreported";

function endReasonOf({ outcome, droppedSpans }: EndReport): AttemptEndReason | undefined {
  if (outcome === "timeout" || outcome === "unresponsive") return outcome;
  if (droppedSpans > 0) return "spans_lost";
  return outcome === "failed" ? "agent_error" : undefined;
}

async function send(store: LightningStore, running: RunningAttempt, report: EndReport): Promise<ReportOutcome> {
  const { rolloutId, attemptId } = running;
  const { outcome, droppedSpans, error } = report;
  if (outcome === "released") return store.releaseAttempt(rolloutId, attemptId, { reason: error });
  if (outcome === "cancelled" || outcome === "lost") return { status: "lost", reason: "cancelled" };
  return store.reportAttempt(rolloutId, attemptId, {
    status: outcome,
    error,
    ...(droppedSpans > 0 ? { droppedSpans } : {}),
    endReason: endReasonOf(report),
  });
}

function outcomeOf(answer: ReportOutcome, outcome: AttemptOutcome): AttemptOutcome {
  // A deadline that the store applied a moment earlier says the same as we do.
  if (answer.status === "applied" || answer.attempt?.status === outcome) return outcome;
  return answer.reason === "cancelled" ? "cancelled" : "lost";
}

/** Waits for an answer while it is any use: no longer than an outage may last, and not long once the runner must end. */
async function awaitAnswer<T>(answering: Promise<T>, { options, hurry }: ReportContext): Promise<Bounded<T>> {
  const { clock } = options.runtime;
  const answer = await waitAtMost(clock, answering, options.storeOutageMs + options.flushTimeoutMs, hurry);
  if (answer.settled || !hurry.aborted) return answer;
  return waitAtMost(clock, answering, options.flushTimeoutMs);
}

function isUnknown(error: unknown): boolean {
  return ["rollout_not_found", "attempt_not_found", "evicted"].some(
    (code) => LightningError.isInstance(error) && error.code === code,
  );
}

/** Tells the store how the attempt ended, for as long as that is any use; never throws. */
export async function reportEnd(
  running: RunningAttempt,
  report: EndReport,
  context: ReportContext,
): Promise<ReportedOutcome> {
  const { outcome } = report;
  if (outcome === "cancelled" || outcome === "lost") return outcome;
  const { options, log, hurry } = context;
  const sending = retryWhileAway(() => send(options.store, running, report), {
    runtime: options.runtime,
    outageMs: options.storeOutageMs,
    signal: hurry,
    onRetry: (error) => log.warn(`reporting the attempt failed, trying again: ${errorText(error)}`),
  });
  try {
    const answer = await awaitAnswer(sending, context);
    if (answer.settled) return outcomeOf(answer.value, outcome);
    log.error(`the store did not answer the report of the attempt's end (${outcome})`);
  } catch (error) {
    if (isUnknown(error)) return "lost";
    log.error(`the attempt's end (${outcome}) could not be reported: ${errorText(error)}`);
  }
  return "unreported";
}
