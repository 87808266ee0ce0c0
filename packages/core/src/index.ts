export type { TraceAdapter } from "./adapter.ts";
export {
  type Attempt,
  type AttemptChanges,
  type AttemptEndReason,
  type AttemptReport,
  type AttemptStatus,
  attemptEndReasons,
  attemptStatuses,
} from "./attempt.ts";
export type { Clock, IdGenerator, Runtime, TimerHandle } from "./clock.ts";
export type { Dataset, IndexedDataset } from "./dataset.ts";
export {
  AbortedError,
  type ErrorCodeEntry,
  errorCodes,
  InvalidInputError,
  LightningError,
  type LightningErrorCode,
  type LightningErrorOptions,
  NotFoundError,
} from "./errors.ts";
export { flattenAttributes, unflattenAttributes } from "./flatten.ts";
export { createIdGenerator } from "./id.ts";
export { datasetLength, iterateDataset, toArray } from "./iterate-dataset.ts";
export type { JsonArray, JsonObject, JsonValue } from "./json.ts";
export {
  copyJson,
  copyJsonObject,
  isPlainObject,
  JsonCopier,
  type JsonCopy,
  type JsonCopyOptions,
} from "./json-copy.ts";
export { type JsonlSource, jsonl } from "./jsonl.ts";
export { makeLinkAttributes, makeTagAttributes, queryLinkedSpans } from "./links.ts";
export type { LlmProxy, ProxyResourceOptions } from "./llm-proxy.ts";
export {
  type AttemptIds,
  type LlmResourceOptions,
  llmBaseUrl,
  llmResource,
  proxyLlmResource,
  resolveLlm,
} from "./llm-resource.ts";
export { consoleLogger, type Logger, silentLogger } from "./logger.ts";
export { createPage, type Page } from "./page.ts";
export { formatPrompt, promptTemplate, type TemplateFormatter } from "./prompt-template.ts";
export { redacted, redactResource, redactResources } from "./redact.ts";
export {
  type Llm,
  type NamedResources,
  type PromptTemplate,
  type PromptTemplateEngine,
  type ProxyLlm,
  promptTemplateEngines,
  type Resource,
  type ResourcesUpdate,
} from "./resources.ts";
export {
  findFinalReward,
  findRewardSpans,
  isRewardSpan,
  type Reward,
  type RewardSource,
  rewardsFromSpan,
} from "./reward.ts";
export {
  type AttemptedRollout,
  type Rollout,
  type RolloutChanges,
  type RolloutConfig,
  type RolloutEndReason,
  type RolloutMode,
  type RolloutRequest,
  type RolloutStatus,
  rolloutModes,
  rolloutStatuses,
} from "./rollout.ts";
export { systemClock, systemRuntime } from "./runtime.ts";
export { attributeNames, spanNames } from "./semconv.ts";
export { attemptSorts, resourcesSorts, rolloutSorts, spanSorts, workerSorts } from "./sorts.ts";
export {
  type Span,
  type SpanAttributes,
  type SpanContextRecord,
  type SpanEvent,
  type SpanInput,
  type SpanLink,
  type SpanResource,
  type SpanStatus,
  type SpanStatusCode,
  spanStatusCodes,
} from "./span.ts";
export type { LightningStore } from "./store.ts";
export type {
  DequeueManyOptions,
  DequeueOptions,
  LeaseOutcome,
  LostReason,
  ReportOutcome,
  RetryableAttemptStatus,
  RolloutEvent,
  StoreCapabilities,
  StoreStatistics,
  WaitOptions,
  WatchOptions,
  WorkOptions,
} from "./store-outcomes.ts";
export type {
  AttemptSort,
  PageQuery,
  ResourcesQuery,
  ResourcesSort,
  RolloutQuery,
  RolloutSort,
  SpanQuery,
  SpanSort,
  WorkerQuery,
  WorkerSort,
} from "./store-queries.ts";
export { type Worker, type WorkerStatus, workerStatuses } from "./worker.ts";
