import type {
  Attempt,
  JsonValue,
  Llm,
  Logger,
  NamedResources,
  PromptTemplate,
  Rollout,
  RolloutMode,
} from "@agentlightning/core";
import type { AttemptTrace, emitReward } from "@agentlightning/otel";

/** An OpenTelemetry tracer. */
export type AgentTracer = AttemptTrace["tracer"];

/** An LLM resource as an agent uses it. */
export interface AgentLlm extends Llm {
  /** What an OpenAI-compatible client takes as its base URL; names rollout and attempt for a proxied model. */
  readonly baseUrl: string;
}

/** A prompt template as an agent uses it. */
export interface AgentPromptTemplate extends PromptTemplate {
  /** Fills the holes. @throws invalid_input for a missing value, unsupported for an engine that is not built in */
  format(values: Readonly<Record<string, JsonValue>>): string;
}

/** What an agent is given beside its task; one object per attempt. */
export interface AgentContext {
  /** First LLM resource. @throws resource_missing when there is none */
  readonly llm: AgentLlm;
  /** First prompt template. @throws resource_missing when there is none */
  readonly promptTemplate: AgentPromptTemplate;
  /** All resources of this rollout by name, as stored. */
  readonly resources: NamedResources;
  readonly rollout: Rollout;
  readonly attempt: Attempt;
  /** Which part of the data the rollout belongs to, where it was said. */
  readonly mode: RolloutMode | undefined;
  /** Its spans belong to this attempt; a no-op without an OpenTelemetry SDK. */
  readonly tracer: AgentTracer;
  /** Aborts on timeout, cancel, a lost lease and shutdown; its reason is a LightningError that says which. */
  readonly signal: AbortSignal;
  /** Records a reward, from wherever in the agent. */
  readonly emitReward: typeof emitReward;
  /** Log lines that name rollout and attempt. */
  readonly log: Logger;
  /** Says that the agent is alive though it is silent; see `unresponsiveMs` of the rollout's config. */
  heartbeat(): void;
}
