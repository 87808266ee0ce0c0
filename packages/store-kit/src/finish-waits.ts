import { LightningError, type Rollout, type Runtime, type WaitOptions } from "@agentlightning/core";
import { isTerminalStatus, presentRollout } from "@agentlightning/core/lifecycle";
import type { ChangeFeed } from "./change-feed.ts";
import type { StoreDriver } from "./driver.ts";
import { abortedError, startWait, type Wait } from "./signal-wait.ts";
import { evictedError } from "./transitions.ts";
import { checkNumber } from "./validate.ts";

/** Those who wait for rollouts to finish. */
export class FinishWaits {
  readonly #driver: StoreDriver;
  readonly #feed: ChangeFeed;
  readonly #runtime: Runtime;
  readonly #open = new Set<Wait>();

  constructor(driver: StoreDriver, feed: ChangeFeed, runtime: Runtime) {
    this.#driver = driver;
    this.#feed = feed;
    this.#runtime = runtime;
  }

  async wait(rolloutIds: readonly string[], options: WaitOptions): Promise<readonly Rollout[]> {
    const { signal } = options;
    if (signal?.aborted === true) throw abortedError(signal, "waiting for rollouts");
    const timeoutMs =
      options.timeoutMs === undefined || options.timeoutMs === Number.POSITIVE_INFINITY
        ? undefined
        : checkNumber(options.timeoutMs, "timeoutMs", 0, false);
    const open = new Set(rolloutIds);
    const finished = new Map<string, Rollout>();
    const releases = new Map<string, () => void>();
    let wait: Wait | undefined;
    const done = new Set<string>();
    const stop = this.#feed.listen((change) => {
      if (!open.has(change.rolloutId) || !isTerminalStatus(change.status)) return;
      done.add(change.rolloutId);
      wait?.wake();
    });
    try {
      for (const rolloutId of open) releases.set(rolloutId, this.#driver.retain(rolloutId));
      for (const rolloutId of [...open]) await this.#look(rolloutId, open, finished, true);
      const { clock } = this.#runtime;
      const untilMs = timeoutMs === undefined ? undefined : clock.monotonicMs() + timeoutMs;
      while (open.size > 0) {
        const restMs = untilMs === undefined ? undefined : untilMs - clock.monotonicMs();
        if (restMs !== undefined && restMs <= 0) break;
        if (done.size === 0) {
          wait = startWait(clock, restMs, signal);
          this.#open.add(wait);
          const how = await wait.ended;
          this.#open.delete(wait);
          wait = undefined;
          if (how === "aborted") throw abortedError(signal, "waiting for rollouts");
          if (how === "closed")
            throw new LightningError({
              code: "closed",
              message: "the store was closed while rollouts were waited for",
            });
        }
        for (const rolloutId of done) {
          done.delete(rolloutId);
          await this.#look(rolloutId, open, finished, false);
        }
      }
    } finally {
      stop();
      for (const release of releases.values()) release();
    }
    const unique = [...new Set(rolloutIds)];
    return unique.flatMap((rolloutId) => finished.get(rolloutId) ?? []);
  }

  /** Takes a rollout out of the open ones when it is finished, or unknown. */
  async #look(rolloutId: string, open: Set<string>, finished: Map<string, Rollout>, first: boolean): Promise<void> {
    const record = await this.#driver.readRollout(rolloutId);
    if (record === "evicted") throw evictedError(rolloutId);
    if (record === undefined) {
      if (first) open.delete(rolloutId);
      return;
    }
    if (!isTerminalStatus(record.rollout.status)) return;
    open.delete(rolloutId);
    finished.set(rolloutId, presentRollout(record));
  }

  close(): void {
    for (const wait of this.#open) wait.end("closed");
  }
}
