export {
  type Agent,
  type AgentDefinition,
  type AgentFunction,
  type AgentOptions,
  type AgentResult,
  defineAgent,
} from "./agent.ts";
export type { AgentContext, AgentLlm, AgentPromptTemplate, AgentTracer } from "./agent-context.ts";
export type {
  AttemptOutcome,
  HookContext,
  RolloutEndContext,
  RunnerHooks,
  TraceHookContext,
} from "./hooks.ts";
export type { RunnerOptions } from "./options.ts";
export type { CoreSpan, ReturnedReadableSpan } from "./returned-span.ts";
export { Runner } from "./runner.ts";
export { shutdownSignal } from "./shutdown-signal.ts";
export { type SchemaIssue, type SchemaResult, type StandardSchema, validateTask } from "./standard-schema.ts";
export type { StepOptions, StepResult } from "./step.ts";
export type { RunnerSummary } from "./summary.ts";
