import {
  type LightningStore,
  LightningError,
  type Logger,
  type Runtime,
  type Span,
  type SpanInput,
  silentLogger,
  systemRuntime,
} from "@agentlightning/core";
import { context, ROOT_CONTEXT, type Tracer, trace } from "@opentelemetry/api";
import { Delivery } from "./delivery.ts";
import { type RolloutIdentity, type RolloutScope, runInScope } from "./rollout-context.ts";
import type { SpanDraft, SpanSink, StartTicket } from "./span-sink.ts";
import { withoutTracing } from "./suppress-tracing.ts";

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
  /** How long a flush waits for spans that are still open, in milliseconds. @defaultValue 250 */
  readonly openSpanGraceMs?: number | undefined;
  readonly logger?: Logger | undefined;
  readonly runtime?: Runtime | undefined;
}

/** What a flush achieved, counted from the start of the attempt. */
export interface FlushReport {
  readonly deliveredSpans: number;
  /** Spans that are lost for good. */
  readonly droppedSpans: number;
  readonly lastError?: unknown;
}

interface OpenSpan {
  readonly peek: (() => SpanDraft) | undefined;
}

/** Delivery starts this long after a span ended, so that spans of one burst travel together. */
const gatherMs = 20;
const mostKeptForHooks = 2_048;

function estimateBytes(draft: SpanDraft): number {
  let bytes = 500 + draft.name.length + 200 * (draft.events.length + draft.links.length);
  for (const key of Object.keys(draft.attributes)) {
    const value = draft.attributes[key];
    bytes += key.length + (typeof value === "string" ? value.length : Array.isArray(value) ? 8 * value.length : 8);
  }
  return bytes;
}

/** The spans of one attempt, from their start to the store: numbered in start order, delivered in batches, bounded. */
export class AttemptTrace implements SpanSink {
  readonly tracer: Tracer;
  readonly #store: AttemptTraceOptions["store"];
  readonly #scope: RolloutScope;
  readonly #runtime: Runtime;
  readonly #logger: Logger;
  readonly #delivery: Delivery;
  readonly #reserveAll: boolean;
  readonly #maxBufferedSpans: number;
  readonly #maxBufferedBytes: number;
  readonly #flushTimeoutMs: number;
  readonly #openSpanGraceMs: number;
  readonly #open = new Map<StartTicket, OpenSpan>();
  readonly #gathered: { readonly ticket: StartTicket; readonly draft: SpanDraft; readonly bytes: number }[] = [];
  readonly #unnumbered = new Set<StartTicket>();
  readonly #delivered: Span[] = [];
  #gatheredBytes = 0;
  #order = 0;
  #seen = 0;
  #dropped = 0;
  #scheduled = false;
  #allEnded: (() => void) | undefined;
  #handing: Promise<void> = Promise.resolve();

  constructor(options: AttemptTraceOptions) {
    const { identity } = options;
    this.#store = options.store;
    this.#runtime = options.runtime ?? systemRuntime;
    this.#logger = options.logger ?? silentLogger;
    this.tracer = options.tracing?.tracer ?? trace.getTracer("agentlightning");
    this.#scope = { identity: { rolloutId: identity.rolloutId, attemptId: identity.attemptId }, sink: this };
    this.#delivery = new Delivery({ store: options.store, runtime: this.#runtime, logger: this.#logger });
    this.#reserveAll = options.reserveSequenceNumbers ?? false;
    this.#maxBufferedSpans = options.maxBufferedSpans ?? 2_048;
    this.#maxBufferedBytes = options.maxBufferedBytes ?? 16_000_000;
    this.#flushTimeoutMs = options.flushTimeoutMs ?? 5_000;
    this.#openSpanGraceMs = options.openSpanGraceMs ?? 250;
  }

  /** Spans that started or were recorded so far; a sign of life. */
  get spansSeen(): number {
    return this.#seen;
  }

  /** Whether nothing is open and nothing waits. */
  get isIdle(): boolean {
    return this.#open.size === 0 && this.#gathered.length === 0 && this.#delivery.pending === 0;
  }

  /** Runs the agent (or part of it) so that its spans come here, as roots: what the runner was called within is none of their parents. */
  run<T>(fn: () => T): T {
    return runInScope(this.#scope, () => context.with(ROOT_CONTEXT, fn));
  }

  started(peek?: () => SpanDraft): StartTicket {
    this.#order += 1;
    this.#seen += 1;
    const ticket: StartTicket = { order: this.#order };
    this.#open.set(ticket, { peek });
    this.#unnumbered.add(ticket);
    if (this.#reserveAll) this.reserve();
    return ticket;
  }

  ended(ticket: StartTicket, draft: SpanDraft): void {
    if (!this.#open.delete(ticket)) return;
    this.#gather(ticket, draft);
    if (this.#open.size === 0) this.#allEnded?.();
  }

  /** Takes a complete span, e.g. one that an agent returned. */
  record(span: SpanInput): void {
    const { rolloutId: _rollout, attemptId: _attempt, sequenceId, ...draft } = span;
    const ticket = this.started();
    if (sequenceId !== undefined) {
      ticket.sequenceId = Promise.resolve(sequenceId);
      this.#unnumbered.delete(ticket);
    }
    this.ended(ticket, draft);
  }

  reserve(): void {
    const tickets = [...this.#unnumbered];
    if (tickets.length === 0) return;
    this.#unnumbered.clear();
    const { rolloutId, attemptId } = this.#scope.identity;
    const numbers = withoutTracing(() => this.#store.getManySpanSequenceIds(tickets.map(() => [rolloutId, attemptId])));
    // Not awaited by whoever starts a span. Without numbers the store gives them at delivery.
    const settled = numbers.catch((): readonly number[] => []);
    tickets.forEach((ticket, index) => {
      ticket.sequenceId = settled.then((given) => given[index]);
    });
  }

  /** The spans delivered so far, at most 2,048 of them. */
  deliveredSpans(): readonly Span[] {
    return this.#delivered;
  }

  /**
   * Delivers everything: waits a moment for spans that are still open, keeps those that stay open as incomplete, and
   * hands all to the store. Never throws. Spans that end later are still delivered.
   */
  async flush(
    options: { readonly timeoutMs?: number | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<FlushReport> {
    const { clock } = this.#runtime;
    const timeoutMs = options.timeoutMs ?? this.#flushTimeoutMs;
    if (this.#open.size > 0) await this.#waitForOpen(Math.min(this.#openSpanGraceMs, timeoutMs));
    this.#keepOpenSpans();
    let timer: { cancel(): void } | undefined;
    let onAbort = (): void => undefined;
    const givenUp = new Promise<"late">((resolve) => {
      onAbort = () => resolve("late");
      timer = clock.setTimer(onAbort, timeoutMs);
      options.signal?.addEventListener("abort", onAbort, { once: true });
      if (options.signal?.aborted === true) onAbort();
    });
    const outcome = await Promise.race([this.#hand().then(() => "done" as const), givenUp]);
    timer?.cancel();
    options.signal?.removeEventListener("abort", onAbort);
    if (outcome === "late") this.#giveUp(timeoutMs);
    const { lastError } = this.#delivery;
    return {
      deliveredSpans: this.#delivery.deliveredSpans,
      droppedSpans: this.#dropped + this.#delivery.droppedSpans,
      ...(lastError === undefined ? {} : { lastError }),
    };
  }

  #giveUp(timeoutMs: number): void {
    const gathered = this.#gathered.splice(0).length;
    this.#gatheredBytes = 0;
    this.#dropped += gathered;
    const lost = gathered + this.#delivery.abandon();
    this.#delivery.lastError ??= new LightningError({
      code: "spans_lost",
      message: `the store did not take ${lost} spans within ${timeoutMs} ms`,
    });
  }

  #gather(ticket: StartTicket, draft: SpanDraft): void {
    const bytes = estimateBytes(draft);
    const waiting = this.#gathered.length + this.#delivery.pending;
    const waitingBytes = this.#gatheredBytes + this.#delivery.bytes;
    // The count bounds an outage; a burst that the store will take at once is bounded by its size alone.
    if (
      waitingBytes + bytes > this.#maxBufferedBytes ||
      (this.#delivery.isFailing && waiting >= this.#maxBufferedSpans)
    ) {
      this.#dropped += 1;
      this.#unnumbered.delete(ticket);
      if (this.#dropped === 1)
        this.#logger.warn(
          `the span buffer of attempt ${this.#scope.identity.attemptId} is full (${waiting} spans); further spans are dropped and counted`,
        );
      return;
    }
    this.#gathered.push({ ticket, draft, bytes });
    this.#gatheredBytes += bytes;
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#runtime.clock.setTimer(
      () => {
        this.#scheduled = false;
        void this.#hand();
      },
      gatherMs,
      { keepAlive: false },
    );
  }

  /** Numbers and delivers what has gathered, in start order. Never rejects. */
  #hand(): Promise<void> {
    this.#handing = this.#handing.then(() => this.#handNow());
    return this.#handing;
  }

  async #handNow(): Promise<void> {
    const batch = this.#gathered.splice(0).toSorted((a, b) => a.ticket.order - b.ticket.order);
    this.#gatheredBytes = 0;
    const last = batch.at(-1)?.ticket.order ?? 0;
    // A span that started before these and is still open (their parent, mostly) must get a lower number than they.
    if ([...this.#open.keys()].some((ticket) => ticket.order < last && ticket.sequenceId === undefined)) this.reserve();
    for (const { ticket, draft, bytes } of batch) {
      this.#unnumbered.delete(ticket);
      const sequenceId = ticket.sequenceId === undefined ? undefined : await ticket.sequenceId;
      const span = { ...draft, ...this.#scope.identity, ...(sequenceId === undefined ? {} : { sequenceId }) };
      this.#delivery.add({ span, bytes });
    }
    await this.#delivery.run((spans) => {
      const room = mostKeptForHooks - this.#delivered.length;
      if (room > 0) this.#delivered.push(...spans.slice(0, room));
    });
  }

  #waitForOpen(graceMs: number): Promise<void> {
    return new Promise<void>((resolve) => {
      const timer = this.#runtime.clock.setTimer(resolve, graceMs);
      this.#allEnded = () => {
        timer.cancel();
        resolve();
      };
    }).then(() => {
      this.#allEnded = undefined;
    });
  }

  #keepOpenSpans(): void {
    for (const [ticket, { peek }] of [...this.#open]) {
      if (peek === undefined) continue;
      this.#open.delete(ticket);
      this.#gather(ticket, peek());
    }
  }
}
