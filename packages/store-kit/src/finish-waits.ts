import { InvalidInputError, LightningError, type Rollout, type Runtime, type WaitOptions } from "@agentlightning/core";
import { isTerminalStatus, presentRollout } from "@agentlightning/core/lifecycle";
import type { ChangeFeed } from "./change-feed.ts";
import type { StoreDriver } from "./driver.ts";
import type { Retention } from "./retention.ts";
import { abortedError, startWait, type Wait } from "./signal-wait.ts";
import { evictedError } from "./transitions.ts";
import { checkNumber, checkObject, checkSignal, checkText } from "./validate.ts";

/** One call that waits. */
interface Waiter {
  /** Rollouts that are not finished yet. */
  readonly open: Set<string>;
  readonly finished: Map<string, Rollout>;
  /** Rollouts whose finish was announced and that have to be read. */
  readonly announced: Set<string>;
  wait?: Wait | undefined;
}

/** Those who wait for rollouts to finish; a finish finds its waiters by rollout, however many wait for others. */
export class FinishWaits {
  readonly #driver: StoreDriver;
  readonly #feed: ChangeFeed;
  readonly #retention: Retention;
  readonly #runtime: Runtime;
  readonly #byRollout = new Map<string, Set<Waiter>>();
  readonly #sleeping = new Set<Wait>();
  #closed = false;

  constructor(driver: StoreDriver, feed: ChangeFeed, retention: Retention, runtime: Runtime) {
    this.#driver = driver;
    this.#feed = feed;
    this.#retention = retention;
    this.#runtime = runtime;
    feed.listen(({ rolloutId, status }) => {
      if (isTerminalStatus(status)) this.#announce(rolloutId);
    });
  }

  #announce(rolloutId: string): void {
    for (const waiter of this.#byRollout.get(rolloutId) ?? []) {
      waiter.announced.add(rolloutId);
      waiter.wait?.wake();
    }
  }

  async wait(rolloutIds: readonly string[], options: WaitOptions): Promise<readonly Rollout[]> {
    const signal = checkSignal(checkObject(options, "options").signal);
    if (!Array.isArray(rolloutIds)) throw new InvalidInputError({ message: "rollout ids must be given as a list" });
    // By index: a hole in the list is refused, too.
    for (let index = 0; index < rolloutIds.length; index += 1) checkText(rolloutIds[index], "rolloutIds");
    if (signal?.aborted === true) throw abortedError(signal, "waiting for rollouts");
    const timeoutMs =
      options.timeoutMs === undefined || options.timeoutMs === Number.POSITIVE_INFINITY
        ? undefined
        : checkNumber(options.timeoutMs, "timeoutMs", 0, false);
    const ids = [...new Set(rolloutIds)];
    const waiter: Waiter = { open: new Set(ids), finished: new Map(), announced: new Set() };
    // Told and held back before the first look, so that no finish falls between the look and the wait.
    const releases = ids.map((rolloutId) => this.#enlist(rolloutId, waiter));
    releases.push(this.#feed.attend());
    try {
      for (const rolloutId of ids) await this.#look(rolloutId, waiter, true);
      await this.#sleepUntilDone(waiter, timeoutMs, signal);
    } finally {
      for (const release of releases) release();
    }
    return ids.flatMap((rolloutId) => waiter.finished.get(rolloutId) ?? []);
  }

  #enlist(rolloutId: string, waiter: Waiter): () => void {
    const waiters = this.#byRollout.get(rolloutId) ?? new Set();
    this.#byRollout.set(rolloutId, waiters.add(waiter));
    const release = this.#retention.hold(rolloutId);
    return () => {
      release();
      waiters.delete(waiter);
      if (waiters.size === 0) this.#byRollout.delete(rolloutId);
    };
  }

  async #sleepUntilDone(waiter: Waiter, timeoutMs: number | undefined, signal: AbortSignal | undefined): Promise<void> {
    const { clock } = this.#runtime;
    const untilMs = timeoutMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonicMs() + timeoutMs;
    while (waiter.open.size > 0) {
      const restMs = untilMs - clock.monotonicMs();
      if (restMs <= 0) return;
      if (waiter.announced.size === 0) await this.#sleep(waiter, restMs, signal);
      for (const rolloutId of waiter.announced) {
        waiter.announced.delete(rolloutId);
        await this.#look(rolloutId, waiter, false);
      }
    }
  }

  async #sleep(waiter: Waiter, restMs: number, signal: AbortSignal | undefined): Promise<void> {
    const wait = startWait(this.#runtime.clock, restMs, signal);
    if (this.#closed) wait.end("closed");
    waiter.wait = wait;
    this.#sleeping.add(wait);
    const how = await wait.ended;
    this.#sleeping.delete(wait);
    waiter.wait = undefined;
    if (how === "aborted") throw abortedError(signal, "waiting for rollouts");
    if (how === "closed")
      throw new LightningError({ code: "closed", message: "the store was closed while rollouts were waited for" });
  }

  /** Moves a rollout from the open ones to the finished, if it is; the first look also strikes unknown ones. */
  async #look(rolloutId: string, waiter: Waiter, isFirst: boolean): Promise<void> {
    const record = await this.#driver.readRollout(rolloutId);
    if (record === undefined) {
      // What was there at the first look and is gone was dropped, by another handle if not by this one.
      if (!isFirst || this.#retention.hasDropped(rolloutId)) throw evictedError(rolloutId);
      waiter.open.delete(rolloutId);
      return;
    }
    if (!isTerminalStatus(record.rollout.status)) return;
    waiter.open.delete(rolloutId);
    waiter.finished.set(rolloutId, presentRollout(record));
  }

  close(): void {
    this.#closed = true;
    for (const wait of this.#sleeping) wait.end("closed");
  }
}
