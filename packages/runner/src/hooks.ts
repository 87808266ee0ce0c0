import type { Attempt, NamedResources, Rollout, Span } from "@agentlightning/core";
import type { AgentTracer } from "./agent-context.ts";

/** What every hook is told. */
export interface HookContext {
  readonly rollout: Rollout;
  readonly attempt: Attempt;
  readonly runnerId: string;
  readonly agentName: string;
}

/** What is known before the agent runs. */
export interface TraceHookContext extends HookContext {
  readonly resources: NamedResources;
  readonly tracer: AgentTracer;
}

/** How an attempt ended. */
export type AttemptOutcome =
  | "succeeded"
  | "failed"
  | "timeout"
  | "unresponsive"
  /** The rollout was cancelled while the agent ran. */
  | "cancelled"
  /** Another runner holds the rollout, or it ended elsewhere. */
  | "lost"
  /** Handed back to the queue. */
  | "released";

/** What is known when an attempt is over, just before its end is reported. */
export interface RolloutEndContext extends HookContext {
  /** Spans of this attempt that reached the store (bounded; see AttemptTrace). */
  readonly spans: readonly Span[];
  readonly outcome: AttemptOutcome;
  /** What the agent threw, or why the attempt failed. */
  readonly error?: unknown;
}

/**
 * Callbacks around each attempt. Several run in the order given, each awaited; what one throws is logged and changes
 * nothing, and one that takes longer than 10 s is no longer waited for.
 */
export interface RunnerHooks {
  onRolloutStart?(context: HookContext): void | Promise<void>;
  /** Runs inside the attempt's trace, before the agent. */
  onTraceStart?(context: TraceHookContext): void | Promise<void>;
  /** Runs inside the attempt's trace, after the agent settled. */
  onTraceEnd?(context: TraceHookContext): void | Promise<void>;
  /** Runs after the spans are delivered and before the attempt's end is reported. */
  onRolloutEnd?(context: RolloutEndContext): void | Promise<void>;
}
