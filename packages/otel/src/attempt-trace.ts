import { LightningError, type Span, type SpanInput } from "@agentlightning/core";
import { context, ROOT_CONTEXT, type Tracer } from "@opentelemetry/api";
import {
  type AttemptTraceOptions,
  type ResolvedAttemptTraceOptions,
  resolveAttemptTraceOptions,
} from "./attempt-trace-options.ts";
import { Delivery } from "./delivery.ts";
import { estimateBytes } from "./estimate-bytes.ts";
import { type RolloutScope, runInScope } from "./rollout-context.ts";
import { SpanNumbering } from "./span-numbering.ts";
import type { SpanDraft, SpanSink, StartTicket } from "./span-sink.ts";

/** What a flush achieved, counted from the start of the attempt. */
export interface FlushReport {
  readonly deliveredSpans: number;
  /** Spans that are lost for good. */
  readonly droppedSpans: number;
  readonly lastError?: unknown;
}

/** How a flush is bounded, and what it takes. */
export interface FlushOptions {
  /** In milliseconds. @defaultValue flushTimeoutMs */
  readonly timeoutMs?: number | undefined;
  /** Ends the flush at once; what has not arrived is dropped. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the attempt is over, so that spans that stay open are kept as incomplete. @defaultValue true */
  readonly closeOpenSpans?: boolean | undefined;
}

interface GatheredSpan {
  readonly ticket: StartTicket;
  readonly draft: SpanDraft;
  readonly bytes: number;
}

interface OpenSpan {
  readonly peek: (() => SpanDraft) | undefined;
}

/** Delivery starts this long after a span ended, so that spans of one burst travel together. */
const gatherMs = 20;
const mostKeptForHooks = 2_048;

/** The spans of one attempt, from their start to the store: numbered in start order, delivered in batches, bounded. */
export class AttemptTrace implements SpanSink {
  readonly tracer: Tracer;
  readonly #options: ResolvedAttemptTraceOptions;
  readonly #scope: RolloutScope;
  readonly #delivery: Delivery;
  readonly #numbering: SpanNumbering;
  readonly #open = new Map<StartTicket, OpenSpan>();
  readonly #delivered: Span[] = [];
  /** Ended, not yet handed to delivery. */
  #gathered: GatheredSpan[] = [];
  #gatheredBytes = 0;
  #order = 0;
  #seen = 0;
  #dropped = 0;
  #isLast = false;
  #scheduled = false;
  #allEnded: (() => void) | undefined;
  #handing: Promise<void> = Promise.resolve();
  /** Grows when a flush gives up: what was under way then no longer counts. */
  #generation = 0;

  constructor(options: AttemptTraceOptions) {
    this.#options = resolveAttemptTraceOptions(options);
    this.tracer = this.#options.tracer;
    this.#scope = { identity: this.#options.identity, sink: this };
    this.#delivery = new Delivery(this.#options);
    this.#numbering = new SpanNumbering(this.#options);
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
    if (context.active() === ROOT_CONTEXT) return runInScope(this.#scope, fn);
    return runInScope(this.#scope, () => context.with(ROOT_CONTEXT, fn));
  }

  /** Writes an attempt's last spans: the flush that follows gives them their numbers, so the store is not asked before. */
  runLast(write: () => void): void {
    this.#isLast = true;
    try {
      this.run(write);
    } finally {
      this.#isLast = false;
    }
  }

  started(peek?: () => SpanDraft): StartTicket {
    this.#order += 1;
    this.#seen += 1;
    const ticket: StartTicket = { order: this.#order };
    this.#open.set(ticket, { peek });
    this.#numbering.add(ticket);
    if (this.#options.reserveSequenceNumbers) this.reserve();
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
      this.#numbering.forget(ticket);
    }
    this.ended(ticket, draft);
  }

  reserve(): void {
    if (!this.#isLast) this.#numbering.reserve();
  }

  /** The spans delivered so far, at most 2,048 of them. */
  deliveredSpans(): readonly Span[] {
    return this.#delivered;
  }

  /**
   * Delivers everything: waits a moment for spans that are still open, keeps those that stay open as incomplete, and
   * hands all to the store. Never throws. Spans that end later are still delivered.
   */
  async flush(options: FlushOptions = {}): Promise<FlushReport> {
    const timeoutMs = options.timeoutMs ?? this.#options.flushTimeoutMs;
    const { promise: givenUp, resolve } = Promise.withResolvers<"late">();
    const onAbort = (): void => resolve("late");
    const timer = this.#options.runtime.clock.setTimer(onAbort, timeoutMs);
    options.signal?.addEventListener("abort", onAbort, { once: true });
    if (options.signal?.aborted === true) onAbort();
    if (options.closeOpenSpans ?? true) {
      const graceMs = Math.min(this.#options.openSpanGraceMs, timeoutMs / 2);
      if (this.#open.size > 0) await Promise.race([this.#waitForOpen(graceMs), givenUp]);
      this.#keepOpenSpans();
    }
    const outcome = await Promise.race([this.#hand().then(() => "done" as const), givenUp]);
    timer.cancel();
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
    this.#generation += 1;
    this.#handing = Promise.resolve();
    const gathered = this.#gathered.length;
    for (const { ticket } of this.#gathered) this.#numbering.forget(ticket);
    this.#gathered = [];
    this.#gatheredBytes = 0;
    this.#dropped += gathered;
    const lost = gathered + this.#delivery.abandon();
    if (lost === 0) return;
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
      waitingBytes + bytes > this.#options.maxBufferedBytes ||
      (this.#delivery.isFailing && waiting >= this.#options.maxBufferedSpans)
    ) {
      this.#dropped += 1;
      this.#numbering.forget(ticket);
      if (this.#dropped === 1)
        this.#options.logger.warn(
          `the span buffer of attempt ${this.#scope.identity.attemptId} is full (${waiting} spans); further spans are dropped and counted`,
        );
      return;
    }
    this.#gathered.push({ ticket, draft, bytes });
    this.#gatheredBytes += bytes;
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#options.runtime.clock.setTimer(
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
    // Only the numbers are waited for in turn: a delivery that backs off must hear of this at once.
    this.#handing = this.#handing.then(() => this.#number(this.#generation));
    return this.#handing.then(() =>
      this.#delivery.run((spans) => {
        const room = mostKeptForHooks - this.#delivered.length;
        if (room > 0) this.#delivered.push(...spans.slice(0, room));
      }),
    );
  }

  async #number(generation: number): Promise<void> {
    const batch = this.#gathered.toSorted((a, b) => a.ticket.order - b.ticket.order);
    const last = batch.at(-1)?.ticket.order ?? 0;
    // A span that started before these and is still open (their parent, mostly) must get a lower number than they.
    if ([...this.#open.keys()].some((ticket) => ticket.order < last && ticket.sequenceId === undefined)) this.reserve();
    for (const { ticket } of batch) this.#numbering.forget(ticket);
    const sequenceIds: (number | undefined)[] = [];
    for (const { ticket } of batch) {
      sequenceIds.push(ticket.sequenceId === undefined ? undefined : await ticket.sequenceId);
    }
    // Given up meanwhile: these spans are counted as lost already.
    if (generation !== this.#generation) return;
    this.#gathered = this.#gathered.slice(batch.length);
    batch.forEach(({ draft, bytes }, index) => {
      const sequenceId = sequenceIds[index];
      const span = { ...draft, ...this.#scope.identity, ...(sequenceId === undefined ? {} : { sequenceId }) };
      this.#gatheredBytes -= bytes;
      this.#delivery.add({ span, bytes });
    });
  }

  #waitForOpen(graceMs: number): Promise<void> {
    return new Promise<void>((resolve) => {
      const timer = this.#options.runtime.clock.setTimer(resolve, graceMs);
      this.#allEnded = () => {
        timer.cancel();
        resolve();
      };
    }).then(() => {
      this.#allEnded = undefined;
    });
  }

  #keepOpenSpans(): void {
    for (const [ticket, { peek }] of this.#open) {
      if (peek === undefined) continue;
      this.#open.delete(ticket);
      try {
        this.#gather(ticket, peek());
      } catch (error) {
        this.#dropped += 1;
        this.#delivery.lastError = error;
      }
    }
  }
}
