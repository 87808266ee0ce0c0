import {
  AbortedError,
  type Attempt,
  type AttemptedRollout,
  findFinalReward,
  type JsonValue,
  LightningError,
  type NamedResources,
  type Rollout,
  type RolloutConfig,
  type RolloutMode,
  type Span,
} from "@agentlightning/core";
import type { AttemptEnvironment, ExecutedAttempt } from "./attempt-environment.ts";
import { AttemptExecution } from "./attempt-execution.ts";
import { RunningAttempt } from "./running-attempt.ts";

/** How one sample is run. */
export interface StepOptions {
  /** Stored as a new version first. @defaultValue the store's latest resources */
  readonly resources?: NamedResources | undefined;
  readonly mode?: RolloutMode | undefined;
  /** Limits of the rollout, e.g. `timeoutMs`. @defaultValue the store's defaults */
  readonly config?: Partial<RolloutConfig> | undefined;
  /** Cancels the rollout and aborts the agent. */
  readonly signal?: AbortSignal | undefined;
}

/** What came of one sample. */
export interface StepResult {
  readonly rollout: Rollout;
  readonly attempt: Attempt;
  /** The spans of the attempt that reached the store, the reward included. */
  readonly spans: readonly Span[];
  /** The final reward, where there is one. */
  readonly reward: number | undefined;
}

async function start(environment: AttemptEnvironment, input: unknown, options: StepOptions): Promise<AttemptedRollout> {
  const { store } = environment.options;
  const { resources, mode, config } = options;
  const resourcesId = resources === undefined ? undefined : (await store.addResources(resources)).resourcesId;
  // The store checks at its border that the input is JSON; an interface type could not show it here.
  return store.startRollout({ input: input as JsonValue, mode, config, resourcesId });
}

async function execute(
  environment: AttemptEnvironment,
  running: RunningAttempt,
  signal: AbortSignal | undefined,
): Promise<ExecutedAttempt> {
  const abort = (): void => running.abort({ kind: "caller", reason: signal?.reason });
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted === true) abort();
  environment.registry.add(running);
  try {
    return await new AttemptExecution(running, environment).run();
  } finally {
    environment.registry.delete(running);
    signal?.removeEventListener("abort", abort);
  }
}

/** Runs the agent on one input outside the queue; see `Runner.step`. */
export async function runStep(
  environment: AttemptEnvironment,
  input: unknown,
  options: StepOptions,
): Promise<StepResult> {
  const { signal } = options;
  const { store } = environment.options;
  if (signal?.aborted === true) {
    throw new AbortedError({
      message: "The signal given to step() had aborted before it began.",
      cause: signal.reason,
    });
  }
  const running = new RunningAttempt(await start(environment, input, options));
  const { rolloutId, attemptId } = running;
  const { outcome, verdict, spans } = await execute(environment, running, signal);
  if (running.cause?.kind === "caller") await store.updateRollout(rolloutId, { status: "cancelled" });
  if (verdict.isAgentError) throw verdict.error;
  if (outcome !== "succeeded") {
    throw (
      verdict.error ??
      new LightningError({
        code: outcome === "unreported" ? "unavailable" : "conflict",
        message: `The agent succeeded, but the store did not take the report (${outcome}).`,
        details: { rolloutId, attemptId },
      })
    );
  }
  const rollout = (await store.getRolloutById(rolloutId)) ?? running.claim;
  return { rollout, attempt: rollout.attempt ?? running.claim.attempt, spans, reward: findFinalReward(spans) };
}
