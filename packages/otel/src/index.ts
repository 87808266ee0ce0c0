export { AttemptTrace, type AttemptTraceOptions, type FlushReport } from "./attempt-trace.ts";
export { convertSpan } from "./convert-span.ts";
export { type EmitRewardOptions, emitReward } from "./emit-reward.ts";
export { emitAnnotation, emitException, emitMessage, emitObject } from "./emitters.ts";
export { type OperationOptions, operation } from "./operation.ts";
export type { ReadableEvent, ReadableResource, ReadableSpanLike } from "./readable-span.ts";
export { currentRollout, type RolloutIdentity, runInRollout } from "./rollout-context.ts";
export { LightningSpanProcessor, type LightningSpanProcessorOptions } from "./span-processor.ts";
export type { SpanDraft, StartTicket } from "./span-sink.ts";
