import type { Attempt, Logger, NamedResources, Rollout, RolloutMode } from "@agentlightning/core";
import { type AttemptTrace, currentRollout, emitReward } from "@agentlightning/otel";
import type { AgentContext, AgentLlm, AgentPromptTemplate, AgentTracer } from "./agent-context.ts";
import { firstLlm, firstPromptTemplate, type WarnOnce } from "./resource-access.ts";
import type { RunningAttempt } from "./running-attempt.ts";

/** What a context is made from. */
export interface ContextParts {
  readonly running: RunningAttempt;
  readonly resources: NamedResources;
  readonly trace: AttemptTrace;
  readonly log: Logger;
  readonly warnOnce: WarnOnce;
  readonly heartbeat: () => void;
}

/** A resource is looked for when the agent touches its getter: an agent that needs none runs without any. */
class LazyAgentContext implements AgentContext {
  readonly resources: NamedResources;
  readonly rollout: Rollout;
  readonly attempt: Attempt;
  readonly mode: RolloutMode | undefined;
  readonly tracer: AgentTracer;
  readonly signal: AbortSignal;
  readonly emitReward: typeof emitReward;
  readonly log: Logger;
  readonly heartbeat: () => void;
  readonly #parts: ContextParts;
  #llm: AgentLlm | undefined;
  #promptTemplate: AgentPromptTemplate | undefined;

  constructor(parts: ContextParts) {
    const { running, trace } = parts;
    this.#parts = parts;
    this.resources = parts.resources;
    this.rollout = running.claim;
    this.attempt = running.claim.attempt;
    this.mode = running.claim.mode;
    this.tracer = trace.tracer;
    this.signal = running.signal;
    this.log = parts.log;
    this.heartbeat = parts.heartbeat;
    this.emitReward = (value, options) => {
      // Inside the agent the span keeps its parent; a callback that lost the context still reaches this attempt.
      if (currentRollout()?.attemptId === running.attemptId) emitReward(value, options);
      else trace.run(() => emitReward(value, options));
    };
  }

  get llm(): AgentLlm {
    this.#llm ??= firstLlm(this.resources, this.#parts.running, this.#parts.warnOnce);
    return this.#llm;
  }

  get promptTemplate(): AgentPromptTemplate {
    this.#promptTemplate ??= firstPromptTemplate(this.resources, this.#parts.warnOnce);
    return this.#promptTemplate;
  }
}

/** The context of one attempt. */
export function createAgentContext(parts: ContextParts): AgentContext {
  return new LazyAgentContext(parts);
}
