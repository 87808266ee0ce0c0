import { isTerminalStatus } from "@agentlightning/core/lifecycle";
import { LightningError, type RolloutEvent, type WatchOptions } from "@agentlightning/core";
import type { DriverChange, StoreDriver } from "./driver.ts";

/** How many events a late watcher may look back on. */
const historyLength = 10_000;

type Listener = (change: DriverChange) => void;

/** The changes of one store handle: numbered, kept for a while, handed to listeners and watchers. */
export class ChangeFeed {
  readonly #driver: StoreDriver;
  readonly #listeners = new Set<Listener>();
  readonly #stopDriver: () => void;
  readonly #history: RolloutEvent[] = [];
  readonly #closers = new Set<() => void>();
  #last = 0;

  constructor(driver: StoreDriver) {
    this.#driver = driver;
    this.#stopDriver = driver.watch((change) => this.#publish(change));
  }

  /** Calls back on each change, after it was stored, until stopped. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #publish(change: DriverChange): void {
    this.#last += 1;
    const { queued: _queued, ...event } = change;
    this.#history.push(Object.freeze({ ...event, cursor: String(this.#last) }));
    // Cut in bulk, so that the cost per event stays constant.
    if (this.#history.length >= 2 * historyLength) this.#history.splice(0, this.#history.length - historyLength);
    for (const listener of [...this.#listeners]) listener(change);
  }

  #since(cursor: string | undefined): RolloutEvent[] {
    if (cursor === undefined) return [];
    const from = Number(cursor);
    if (!Number.isInteger(from) || from < 0 || from > this.#last) {
      throw new LightningError({ code: "invalid_input", message: `"${cursor}" is no cursor of this store` });
    }
    const missed = this.#last - from;
    if (missed > this.#history.length) {
      throw new LightningError({
        code: "evicted",
        message: `events after cursor ${cursor} are no longer kept; query the rollouts you wait for and watch anew`,
      });
    }
    return missed === 0 ? [] : this.#history.slice(-missed);
  }

  /**
   * Events as an async iterable. The subscription starts here, not at the first `next()`. A finished rollout is kept
   * from retention until the consumer asks for the event after it.
   */
  watch(options: WatchOptions): AsyncIterableIterator<RolloutEvent> {
    const pending: { readonly event: RolloutEvent; readonly release: () => void }[] = [];
    const hold = (event: RolloutEvent) => ({
      event,
      release: isTerminalStatus(event.status) ? this.#driver.retain(event.rolloutId) : () => undefined,
    });
    for (const event of this.#since(options.since)) pending.push(hold(event));

    let wake: (() => void) | undefined;
    let ended = options.signal?.aborted ?? false;
    let releaseLast = (): void => undefined;
    const stop = this.listen(() => {
      const event = this.#history.at(-1);
      if (event !== undefined) pending.push(hold(event));
      wake?.();
    });
    const end = (): void => {
      if (ended && wake === undefined && pending.length === 0) return;
      ended = true;
      stop();
      this.#closers.delete(end);
      options.signal?.removeEventListener("abort", end);
      releaseLast();
      for (const { release } of pending.splice(0)) release();
      wake?.();
    };
    if (ended) stop();
    else {
      this.#closers.add(end);
      options.signal?.addEventListener("abort", end, { once: true });
    }

    const next = async (): Promise<IteratorResult<RolloutEvent>> => {
      releaseLast();
      releaseLast = () => undefined;
      while (!ended) {
        const item = pending.shift();
        if (item !== undefined) {
          releaseLast = item.release;
          return { done: false, value: item.event };
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        wake = undefined;
      }
      return { done: true, value: undefined };
    };
    return {
      next,
      return: () => {
        end();
        return Promise.resolve({ done: true, value: undefined });
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** Ends every watcher. */
  close(): void {
    this.#stopDriver();
    for (const end of [...this.#closers]) end();
    this.#listeners.clear();
  }
}
