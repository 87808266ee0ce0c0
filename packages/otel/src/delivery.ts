import {
  LightningError,
  type LightningStore,
  type Logger,
  type Runtime,
  type Span,
  type SpanInput,
} from "@agentlightning/core";
import { withoutTracing } from "./suppress-tracing.ts";

/** A span that is ready, with its estimated size. */
export interface ReadySpan {
  readonly span: SpanInput;
  readonly bytes: number;
}

/** What delivery needs. */
export interface DeliveryOptions {
  readonly store: Pick<LightningStore, "addManySpans">;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

const largestBatch = 500;
const firstPauseMs = 50;
const longestPauseMs = 5_000;

/** Hands spans to the store in batches, one at a time; repeats while the store is away. */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #waiting: ReadySpan[] = [];
  #bytes = 0;
  #pump: Promise<void> | undefined;
  #failures = 0;
  #interrupt: (() => void) | undefined;
  deliveredSpans = 0;
  droppedSpans = 0;
  lastError: unknown;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get pending(): number {
    return this.#waiting.length;
  }

  /** Whether the last try failed, so that what waits can only grow. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  add(span: ReadySpan): void {
    this.#waiting.push(span);
    this.#bytes += span.bytes;
  }

  /** Delivers what waits; resolves when nothing does any more. One pump at a time. */
  run(onDelivered: (spans: readonly Span[]) => void): Promise<void> {
    this.#interrupt?.();
    this.#pump ??= this.#deliverAll(onDelivered).finally(() => {
      this.#pump = undefined;
    });
    return this.#pump;
  }

  /** Gives up what waits; gives how many spans that were. */
  abandon(): number {
    const lost = this.#waiting.splice(0).length;
    this.#bytes = 0;
    this.droppedSpans += lost;
    this.#interrupt?.();
    return lost;
  }

  async #deliverAll(onDelivered: (spans: readonly Span[]) => void): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, largestBatch);
      try {
        const stored = await this.#send(batch);
        this.#failures = 0;
        this.#take(batch);
        this.deliveredSpans += batch.length;
        onDelivered(stored);
      } catch (error) {
        this.lastError = error;
        if (LightningError.isInstance(error) && !error.retryable) await this.#isolate(batch, onDelivered);
        else await this.#pause();
      }
    }
  }

  async #send(batch: readonly ReadySpan[]): Promise<readonly Span[]> {
    return withoutTracing(() => this.#options.store.addManySpans(batch.map(({ span }) => span)));
  }

  /** One refused span must not lose its batch. */
  async #isolate(batch: readonly ReadySpan[], onDelivered: (spans: readonly Span[]) => void): Promise<void> {
    this.#take(batch);
    for (const item of batch) {
      try {
        onDelivered(await this.#send([item]));
        this.deliveredSpans += 1;
      } catch (error) {
        this.lastError = error;
        this.droppedSpans += 1;
        if (this.droppedSpans === 1) {
          this.#options.logger.warn(
            `span "${item.span.name}" was refused and is lost: ${error instanceof Error ? error.message : String(error)}`,
          );
        }
      }
    }
  }

  /** Takes delivered spans off; some may have been abandoned meanwhile. */
  #take(batch: readonly ReadySpan[]): void {
    const first = batch[0];
    if (first === undefined || this.#waiting[0] !== first) return;
    for (const { bytes } of this.#waiting.splice(0, batch.length)) this.#bytes -= bytes;
  }

  async #pause(): Promise<void> {
    this.#failures += 1;
    const delayMs = Math.min(firstPauseMs * 2 ** Math.min(this.#failures - 1, 10), longestPauseMs);
    await new Promise<void>((resolve) => {
      const timer = this.#options.runtime.clock.setTimer(resolve, delayMs, { keepAlive: false });
      this.#interrupt = () => {
        timer.cancel();
        resolve();
      };
    });
    this.#interrupt = undefined;
  }
}
