import type { Span } from "@agentlightning/core";
import type { TracingLease } from "@agentlightning/otel/provider";
import type { AttemptRegistry } from "./attempt-registry.ts";
import type { ResolvedRunnerOptions } from "./options.ts";
import type { ReportedOutcome } from "./report-end.ts";
import type { WarnOnce } from "./resource-access.ts";
import type { Verdict } from "./verdict.ts";

/** What all attempts of a runner share. */
export interface AttemptEnvironment {
  readonly options: ResolvedRunnerOptions;
  readonly tracing: TracingLease;
  readonly registry: AttemptRegistry;
  readonly warnOnce: WarnOnce;
  /** Aborts when the runner has no time left to repeat calls. */
  readonly hurry: AbortSignal;
}

/** How an attempt ended. */
export interface ExecutedAttempt {
  readonly outcome: ReportedOutcome;
  readonly verdict: Verdict;
  readonly spans: readonly Span[];
  readonly droppedSpans: number;
  /** The agent did not settle after it was told to stop, and may still be running. */
  readonly abandoned: boolean;
}
