import { LightningError, type NamedResources } from "@agentlightning/core";
import type { AttemptEnvironment } from "./attempt-environment.ts";
import { loadResources } from "./load-resources.ts";
import type { AgentEnd } from "./settle-agent.ts";
import { retryWhileAway } from "./retry.ts";
import type { RunningAttempt } from "./running-attempt.ts";
import { validateTask } from "./standard-schema.ts";

/** What must be there before the agent runs, or why it does not. */
export interface OpenedAttempt {
  readonly resources: NamedResources;
  readonly task?: unknown;
  /** Set when the agent must not run. */
  readonly refused?: AgentEnd;
}

function isAnAnswer(error: unknown): boolean {
  return LightningError.isInstance(error) && !error.retryable && error.code !== "closed";
}

/** Loads the resources and checks the task; a store that is away is not the agent's fault. */
export async function openAttempt(running: RunningAttempt, environment: AttemptEnvironment): Promise<OpenedAttempt> {
  const { store, agent, runtime, storeOutageMs, logger } = environment.options;
  let resources: NamedResources;
  try {
    resources = await retryWhileAway(() => loadResources(store, running.claim), {
      runtime,
      outageMs: storeOutageMs,
      signal: running.signal,
      onRetry: () => logger.warn("loading resources failed, trying again", { rolloutId: running.rolloutId }),
    });
  } catch (error) {
    return { resources: {}, refused: { status: isAnAnswer(error) ? "threw" : "prevented", error } };
  }
  try {
    const { input } = running.claim;
    return { resources, task: agent.schema === undefined ? input : await validateTask(agent.schema, input) };
  } catch (error) {
    return { resources, refused: { status: "threw", error } };
  }
}
