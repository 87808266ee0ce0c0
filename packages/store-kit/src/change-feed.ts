import { LightningError, type RolloutEvent, type WatchOptions } from "@agentlightning/core";
import type { DriverChange, StoreDriver } from "./driver.ts";
import type { Retention } from "./retention.ts";
import { checkObject, checkOptionalText, checkSignal, shown } from "./validate.ts";
import { Watcher } from "./watcher.ts";

/** How many events a late watcher may look back on, and how many one may leave unread. */
const defaultHistoryLength = 10_000;

const nothing = (): void => undefined;

type Listener = (change: DriverChange) => void;

/** The changes of one store handle: numbered, kept for a while, handed to listeners and watchers. */
export class ChangeFeed {
  readonly #driver: StoreDriver;
  readonly #retention: Retention;
  readonly #historyLength: number;
  readonly #listeners = new Set<Listener>();
  readonly #stopDriver: () => void;
  /** Kept as they came: most stores announce to nobody, so events are made of them when somebody asks. */
  readonly #history: DriverChange[] = [];
  readonly #watchers = new Set<Watcher>();
  #last: number;

  constructor(driver: StoreDriver, retention: Retention, historyLength: number = defaultHistoryLength) {
    this.#driver = driver;
    this.#retention = retention;
    this.#last = driver.lastSequence?.() ?? 0;
    this.#historyLength = historyLength;
    this.#stopDriver = driver.watch((change) => this.#publish(change));
  }

  /** Calls back on each change, after it was stored, until stopped. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Somebody waits for changes: until released, those of other processes are looked for promptly. */
  attend(): () => void {
    return this.#driver.attend?.() ?? nothing;
  }

  #publish(change: DriverChange): void {
    this.#last = change.sequence ?? this.#last + 1;
    this.#history.push(change);
    // Cut in bulk, so that the cost per event stays constant.
    if (this.#history.length >= 2 * this.#historyLength)
      this.#history.splice(0, this.#history.length - this.#historyLength);
    if (this.#watchers.size > 0) {
      const event = eventOf(change, this.#last);
      for (const watcher of this.#watchers) watcher.offer(event);
    }
    for (const listener of this.#listeners) listener(change);
    // After the listeners: whoever has yet to be told has said so by then.
    this.#retention.follow(change);
  }

  #since(cursor: string | undefined): readonly RolloutEvent[] {
    if (cursor === undefined) return [];
    const from = /^\d{1,15}$/.test(cursor) ? Number(cursor) : -1;
    if (from < 0 || from > this.#last) {
      throw new LightningError({ code: "invalid_input", message: `"${shown(cursor)}" is no cursor of this store` });
    }
    const missed = this.#last - from;
    if (missed > this.#history.length) {
      throw new LightningError({
        code: "evicted",
        message: `events after cursor ${cursor} are no longer kept; query the rollouts you wait for and watch anew`,
      });
    }
    return missed === 0 ? [] : this.#history.slice(-missed).map((change, index) => eventOf(change, from + index + 1));
  }

  /** Events as an async iterable. The subscription starts here, not at the first `next()`. @throws evicted, invalid_input */
  watch(options: WatchOptions): AsyncIterableIterator<RolloutEvent> {
    checkObject(options, "options");
    const signal = checkSignal(options.signal);
    const missed = this.#since(checkOptionalText(options.since, "since"));
    const release = this.attend();
    const watcher = new Watcher({
      retain: (rolloutId) => this.#retention.hold(rolloutId),
      signal,
      mostUnread: this.#historyLength,
      onEnd: (ended) => {
        this.#watchers.delete(ended);
        release();
      },
    });
    if (!watcher.start()) {
      release();
      return watcher;
    }
    this.#watchers.add(watcher);
    for (const event of missed) watcher.offer(event);
    return watcher;
  }

  /** Ends every watcher. */
  close(): void {
    this.#stopDriver();
    for (const watcher of this.#watchers) watcher.end();
    this.#listeners.clear();
  }
}

function eventOf({ rolloutId, status, attemptId }: DriverChange, sequence: number): RolloutEvent {
  const cursor = String(sequence);
  return Object.freeze(
    attemptId === undefined ? { rolloutId, status, cursor } : { rolloutId, status, attemptId, cursor },
  );
}
