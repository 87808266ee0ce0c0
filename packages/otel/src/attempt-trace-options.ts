import { type LightningStore, type Logger, type Runtime, silentLogger, systemRuntime } from "@agentlightning/core";
import { type Tracer, trace } from "@opentelemetry/api";
import type { RolloutIdentity } from "./rollout-context.ts";

/** Options of an {@link AttemptTrace}. */
export interface AttemptTraceOptions {
  readonly store: Pick<LightningStore, "addManySpans" | "getManySpanSequenceIds">;
  readonly identity: RolloutIdentity;
  /** Where spans are made; from `acquireTracing()`. @defaultValue the tracer of the registered provider */
  readonly tracing?: { readonly tracer: Tracer } | undefined;
  /** Ask the store for each span's number when it starts; for attempts whose model calls a proxy numbers too. @defaultValue false */
  readonly reserveSequenceNumbers?: boolean | undefined;
  /** Most spans that wait while the store does not take them. @defaultValue 2048 */
  readonly maxBufferedSpans?: number | undefined;
  /** Most estimated bytes that wait. @defaultValue 16,000,000 */
  readonly maxBufferedBytes?: number | undefined;
  /** How long {@link AttemptTrace.flush} may take, in milliseconds. @defaultValue 5000 */
  readonly flushTimeoutMs?: number | undefined;
  /** How long a flush waits for spans that are still open, in milliseconds; part of its time. @defaultValue 250 */
  readonly openSpanGraceMs?: number | undefined;
  readonly logger?: Logger | undefined;
  readonly runtime?: Runtime | undefined;
}

/** {@link AttemptTraceOptions} with every default in place. */
export interface ResolvedAttemptTraceOptions {
  readonly store: AttemptTraceOptions["store"];
  readonly identity: RolloutIdentity;
  readonly tracer: Tracer;
  readonly reserveSequenceNumbers: boolean;
  readonly maxBufferedSpans: number;
  readonly maxBufferedBytes: number;
  readonly flushTimeoutMs: number;
  readonly openSpanGraceMs: number;
  readonly logger: Logger;
  readonly runtime: Runtime;
}

/** The one place where defaults are applied. */
export function resolveAttemptTraceOptions(options: AttemptTraceOptions): ResolvedAttemptTraceOptions {
  const { rolloutId, attemptId } = options.identity;
  return {
    store: options.store,
    identity: { rolloutId, attemptId },
    tracer: options.tracing?.tracer ?? trace.getTracer("agentlightning"),
    reserveSequenceNumbers: options.reserveSequenceNumbers ?? false,
    maxBufferedSpans: options.maxBufferedSpans ?? 2_048,
    maxBufferedBytes: options.maxBufferedBytes ?? 16_000_000,
    flushTimeoutMs: options.flushTimeoutMs ?? 5_000,
    openSpanGraceMs: options.openSpanGraceMs ?? 250,
    logger: options.logger ?? silentLogger,
    runtime: options.runtime ?? systemRuntime,
  };
}
