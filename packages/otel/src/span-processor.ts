import type { LightningStore, Logger, Runtime } from "@agentlightning/core";
import { type Context, isSpanContextValid, type Span } from "@opentelemetry/api";
import { AttemptTrace } from "./attempt-trace.ts";
import { convertOpenSpan, convertSpan, parentIdOf } from "./convert-span.ts";
import type { ReadableSpanLike } from "./readable-span.ts";
import { currentScope, type RolloutScope } from "./rollout-context.ts";
import { resourceSettled } from "./resource-settled.ts";
import type { SpanSink, StartTicket } from "./span-sink.ts";

/** Options of {@link LightningSpanProcessor}. */
export interface LightningSpanProcessorOptions {
  /** Where spans of `runInRollout` go. Under a Runner each attempt brings its own way to the store. */
  readonly store?: LightningStore | undefined;
  readonly logger?: Logger | undefined;
  readonly runtime?: Runtime | undefined;
}

interface Entry {
  readonly sink: SpanSink;
  readonly ticket: StartTicket;
  readonly scope: RolloutScope;
}

const sinks = new WeakMap<object, SpanSink>();

/** The sink that a span goes to, if one of our processors saw it start. */
export function sinkOf(span: Span): SpanSink | undefined {
  return sinks.get(span);
}

/**
 * Delivers the spans of rollouts to the store. List it among your provider's `spanProcessors`, beside your own; spans
 * outside any rollout are left alone. Never throws into the application.
 */
export class LightningSpanProcessor {
  readonly #options: LightningSpanProcessorOptions;
  readonly #entries = new WeakMap<object, Entry>();
  /** Open spans by id: their children belong to the same attempt, whatever context they start in. */
  readonly #open = new Map<string, Entry>();
  readonly #traces = new Map<string, AttemptTrace>();
  #isShutDown = false;

  constructor(options: LightningSpanProcessorOptions = {}) {
    this.#options = options;
  }

  onStart(span: ReadableSpanLike, _parentContext: Context): void {
    const scope = currentScope() ?? this.#scopeOfParent(span);
    if (scope === undefined || this.#isShutDown) return;
    const { spanId } = span.spanContext();
    if (!isSpanContextValid(span.spanContext())) return;
    const sink = scope.sink ?? this.#traceOf(scope);
    if (sink === undefined) return;
    const entry = { sink, scope, ticket: sink.started(() => convertOpenSpan(span)) };
    sinks.set(span, sink);
    this.#entries.set(span, entry);
    this.#open.set(spanId, entry);
  }

  onEnd(span: ReadableSpanLike): void {
    const entry = this.#entries.get(span);
    if (entry === undefined) return;
    this.#open.delete(span.spanContext().spanId);
    const settled = resourceSettled(span, this.#options.runtime);
    if (settled === undefined) entry.sink.ended(entry.ticket, convertSpan(span));
    else void settled.then(() => entry.sink.ended(entry.ticket, convertSpan(span)));
  }

  /** Resolves when every span that ended is with the store, or given up. */
  async forceFlush(): Promise<void> {
    await Promise.all(
      [...this.#traces].map(async ([key, trace]) => {
        await trace.flush();
        if (trace.isIdle) this.#traces.delete(key);
      }),
    );
  }

  /** Flushes, then takes no more spans. Idempotent. */
  async shutdown(): Promise<void> {
    await this.forceFlush();
    this.#isShutDown = true;
    this.#open.clear();
  }

  #scopeOfParent(span: ReadableSpanLike): RolloutScope | undefined {
    const parentId = parentIdOf(span);
    return parentId === undefined ? undefined : this.#open.get(parentId)?.scope;
  }

  #traceOf({ identity }: RolloutScope): AttemptTrace | undefined {
    const { store, logger, runtime } = this.#options;
    if (store === undefined) return undefined;
    const key = `${identity.rolloutId}\u0000${identity.attemptId}`;
    for (const [other, trace] of this.#traces) {
      // Attempts that are through leave room; their late spans open a new trace.
      if (this.#traces.size > 64 && trace.isIdle) this.#traces.delete(other);
    }
    const existing = this.#traces.get(key);
    if (existing !== undefined) return existing;
    const trace = new AttemptTrace({ store, identity, logger, runtime });
    this.#traces.set(key, trace);
    return trace;
  }
}
