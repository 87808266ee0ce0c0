import { consoleLogger, type LightningStore, type Logger, type Runtime } from "@agentlightning/core";
import { type Context, isSpanContextValid } from "@opentelemetry/api";
import { AttemptTrace } from "./attempt-trace.ts";
import { convertOpenSpan, convertSpan, parentIdOf } from "./convert-span.ts";
import { describeException } from "./exception.ts";
import type { ReadableSpanLike } from "./readable-span.ts";
import { currentScope, type RolloutScope } from "./rollout-context.ts";
import { resourceSettled } from "./resource-settled.ts";
import { shared } from "./shared-state.ts";
import type { SpanDraft, SpanSink, StartTicket } from "./span-sink.ts";

/** Options of {@link LightningSpanProcessor}. */
export interface LightningSpanProcessorOptions {
  /** Where spans of `runInRollout` go. Under a Runner each attempt brings its own way to the store. */
  readonly store?: LightningStore | undefined;
  /** How long a flush may take, in milliseconds. @defaultValue 5000 */
  readonly flushTimeoutMs?: number | undefined;
  /** Hears of lost spans. @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
  /** @defaultValue systemRuntime */
  readonly runtime?: Runtime | undefined;
}

interface Entry {
  readonly sink: SpanSink;
  readonly ticket: StartTicket;
  readonly scope: RolloutScope;
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
  /** Ended spans whose resource is still being found out. */
  readonly #settling = new Set<Promise<void>>();
  #isShutDown = false;
  #hasComplained = false;

  constructor(options: LightningSpanProcessorOptions = {}) {
    this.#options = options;
    if (options.store !== undefined) shared.processors.add(this);
  }

  /** Where spans of a scope go that brings no sink: to this processor's store. */
  sinkFor(scope: RolloutScope): SpanSink | undefined {
    return this.#isShutDown ? undefined : this.#traceOf(scope);
  }

  onStart(span: ReadableSpanLike, _parentContext: Context): void {
    try {
      this.#start(span);
    } catch (error) {
      this.#complain(error);
    }
  }

  onEnd(span: ReadableSpanLike): void {
    try {
      this.#end(span);
    } catch (error) {
      this.#complain(error);
    }
  }

  /** Resolves when every span that ended is with the store, or given up; spans that are open stay open. */
  forceFlush(): Promise<void> {
    return this.#flush(false);
  }

  /** Flushes, also what is still open, then takes no more spans. Idempotent. */
  async shutdown(): Promise<void> {
    if (this.#isShutDown) return;
    this.#isShutDown = true;
    shared.processors.delete(this);
    await this.#flush(true);
    this.#open.clear();
    this.#traces.clear();
  }

  #start(span: ReadableSpanLike): void {
    const scope = currentScope() ?? this.#scopeOfParent(span);
    if (scope === undefined || this.#isShutDown || shared.sinks.has(span)) return;
    const { spanId } = span.spanContext();
    if (!isSpanContextValid(span.spanContext())) return;
    const sink = scope.sink ?? this.sinkFor(scope);
    if (sink === undefined) return;
    const keepOpen = (): SpanDraft => {
      this.#open.delete(spanId);
      return convertOpenSpan(span);
    };
    const entry = { sink, scope, ticket: sink.started(keepOpen) };
    shared.sinks.set(span, sink);
    this.#entries.set(span, entry);
    this.#open.set(spanId, entry);
  }

  #end(span: ReadableSpanLike): void {
    const entry = this.#entries.get(span);
    if (entry === undefined) return;
    this.#open.delete(span.spanContext().spanId);
    const settled = resourceSettled(span, this.#options.runtime);
    if (settled === undefined) entry.sink.ended(entry.ticket, convertSpan(span));
    else this.#endLater(settled, () => entry.sink.ended(entry.ticket, convertSpan(span)));
  }

  async #flush(closeOpenSpans: boolean): Promise<void> {
    await Promise.all(this.#settling);
    const flushed = [...this.#traces].map(async ([key, trace]) => {
      const { droppedSpans, lastError } = await trace.flush({ closeOpenSpans });
      if (trace.isIdle) this.#traces.delete(key);
      if (droppedSpans > 0) this.#complain(lastError);
    });
    await Promise.all(flushed);
  }

  /** Says the first loss; the others are only counted. */
  #complain(error: unknown): void {
    if (this.#hasComplained) return;
    this.#hasComplained = true;
    const why = error === undefined ? "the buffer was full" : describeException(error).message;
    (this.#options.logger ?? consoleLogger).warn(`spans could not be delivered and are lost: ${why}`);
  }

  #endLater(settled: Promise<void>, end: () => void): void {
    const task = settled.then(end).finally(() => this.#settling.delete(task));
    this.#settling.add(task);
  }

  #scopeOfParent(span: ReadableSpanLike): RolloutScope | undefined {
    const parentId = parentIdOf(span);
    return parentId === undefined ? undefined : this.#open.get(parentId)?.scope;
  }

  #traceOf({ identity }: RolloutScope): AttemptTrace | undefined {
    const { store, logger, runtime, flushTimeoutMs } = this.#options;
    if (store === undefined) return undefined;
    const key = `${identity.rolloutId}\u0000${identity.attemptId}`;
    for (const [other, trace] of this.#traces) {
      // Attempts that are through leave room; their late spans open a new trace.
      if (this.#traces.size > 64 && trace.isIdle) this.#traces.delete(other);
    }
    const existing = this.#traces.get(key);
    if (existing !== undefined) return existing;
    const trace = new AttemptTrace({ store, identity, logger, runtime, flushTimeoutMs });
    this.#traces.set(key, trace);
    return trace;
  }
}
