import { LightningError, type RolloutEvent } from "@agentlightning/core";
import { isTerminalStatus } from "@agentlightning/core/lifecycle";

interface WatcherOptions {
  /** Keeps a rollout from retention until released. */
  readonly retain: (rolloutId: string) => () => void;
  readonly signal: AbortSignal | undefined;
  /** How many events may wait to be read before the watcher is cut off. */
  readonly mostUnread: number;
  readonly onEnd: (watcher: Watcher) => void;
}

interface Unread {
  readonly event: RolloutEvent;
  readonly release: () => void;
}

const nothing = (): void => undefined;

/**
 * One consumer of the change feed. A finished rollout is kept from retention until the consumer asks for the event
 * after it; a consumer that stops reading is cut off and told so, since it would hold back everything for ever.
 */
export class Watcher implements AsyncIterableIterator<RolloutEvent> {
  readonly #options: WatcherOptions;
  readonly #end = (): void => this.end();
  #unread: Unread[] = [];
  /** Index of the first unread one: shifting an array of thousands costs too much. */
  #next = 0;
  #waiting: (() => void)[] = [];
  #releaseLast: () => void = nothing;
  #ended = false;
  #cutOffAt: string | undefined;

  constructor(options: WatcherOptions) {
    this.#options = options;
  }

  /** Begins to listen to the signal; `false` when it was aborted before. */
  start(): boolean {
    const { signal } = this.#options;
    if (signal?.aborted === true) this.#ended = true;
    else signal?.addEventListener("abort", this.#end, { once: true });
    return !this.#ended;
  }

  offer(event: RolloutEvent): void {
    if (this.#ended || this.#cutOffAt !== undefined) return;
    if (this.#unread.length - this.#next >= this.#options.mostUnread) {
      this.#cutOffAt = event.cursor;
      this.#releaseAll();
      return;
    }
    const release = isTerminalStatus(event.status) ? this.#options.retain(event.rolloutId) : nothing;
    this.#unread.push({ event, release });
    this.#wake();
  }

  next(): Promise<IteratorResult<RolloutEvent>> {
    this.#releaseLast();
    this.#releaseLast = nothing;
    const result = this.#now();
    if (result !== undefined) return result;
    return new Promise<void>((resolve) => void this.#waiting.push(resolve)).then(() => this.#now() ?? this.next());
  }

  /** What is to be given without waiting, if anything. */
  #now(): Promise<IteratorResult<RolloutEvent>> | undefined {
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    if (this.#cutOffAt !== undefined) {
      this.end();
      return Promise.reject(
        new LightningError({
          code: "evicted",
          message: `more than ${this.#options.mostUnread} events were left unread; query what you wait for and watch anew`,
        }),
      );
    }
    const item = this.#take();
    if (item === undefined) return undefined;
    this.#releaseLast = item.release;
    return Promise.resolve({ done: false, value: item.event });
  }

  #take(): Unread | undefined {
    const item = this.#unread[this.#next];
    if (item === undefined) return undefined;
    this.#next += 1;
    if (this.#next === this.#unread.length || this.#next > 1_024) {
      this.#unread = this.#unread.slice(this.#next);
      this.#next = 0;
    }
    return item;
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #releaseAll(): void {
    for (const { release } of this.#unread.slice(this.#next)) release();
    this.#unread = [];
    this.#next = 0;
  }

  /** Ends the iteration; idempotent. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.signal?.removeEventListener("abort", this.#end);
    this.#options.onEnd(this);
    this.#releaseLast();
    this.#releaseAll();
    this.#wake();
  }

  return(): Promise<IteratorResult<RolloutEvent>> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
