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
  /** Grows when what waits is given up: the answer to a call from before then no longer counts. */
  #generation = 0;
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
    if (this.#pump !== undefined) return this.#pump;
    const pump = this.#deliverAll(onDelivered).finally(() => {
      if (this.#pump === pump) this.#pump = undefined;
    });
    this.#pump = pump;
    return pump;
  }

  /** Gives up what waits, also a call that does not answer; gives how many spans that were. */
  abandon(): number {
    this.#generation += 1;
    this.#pump = undefined;
    const lost = this.#waiting.splice(0).length;
    this.#bytes = 0;
    this.droppedSpans += lost;
    this.#interrupt?.();
    return lost;
  }

  async #deliverAll(onDelivered: (spans: readonly Span[]) => void): Promise<void> {
    const generation = this.#generation;
    while (generation === this.#generation && this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, largestBatch);
      try {
        const stored = await this.#send(batch);
        if (generation !== this.#generation) return;
        this.#failures = 0;
        this.#take(batch.length);
        this.deliveredSpans += batch.length;
        onDelivered(stored);
      } catch (error) {
        if (generation !== this.#generation) return;
        this.lastError = error;
        if (LightningError.isInstance(error) && !error.retryable) await this.#isolate(batch, generation, onDelivered);
        else await this.#pause();
      }
    }
  }

  async #send(batch: readonly ReadySpan[]): Promise<readonly Span[]> {
    return withoutTracing(() => this.#options.store.addManySpans(batch.map(({ span }) => span)));
  }

  /** One refused span must not lose its batch. */
  async #isolate(
    batch: readonly ReadySpan[],
    generation: number,
    onDelivered: (spans: readonly Span[]) => void,
  ): Promise<void> {
    for (const item of batch) {
      let stored: readonly Span[] | undefined;
      try {
        stored = await this.#send([item]);
      } catch (error) {
        if (generation !== this.#generation) return;
        this.lastError = error;
        // The store went away: what is left waits for it like everything else.
        if (!LightningError.isInstance(error) || error.retryable) return;
        this.#refuse(item, error);
      }
      if (generation !== this.#generation) return;
      this.#take(1);
      if (stored === undefined) continue;
      this.deliveredSpans += 1;
      onDelivered(stored);
    }
  }

  #refuse({ span }: ReadySpan, { message }: Error): void {
    this.droppedSpans += 1;
    if (this.droppedSpans > 1) return;
    this.#options.logger.warn(`span "${span.name}" was refused and is lost: ${message}`);
  }

  #take(count: number): void {
    for (const { bytes } of this.#waiting.splice(0, count)) this.#bytes -= bytes;
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
