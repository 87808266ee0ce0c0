import { LightningError, NotFoundError, type Runtime } from "@agentlightning/core";
import { expire, type RolloutRecord, type Transition, type TransitionContext } from "@agentlightning/core/lifecycle";
import type { StoreDriver } from "./driver.ts";
import type { WorkerBook } from "./worker-book.ts";

/** Far more repeats than any contention explains. */
const mostTries = 1_000;

/** Reads a record, lets a rule decide, and writes the result if nobody was faster; else again. */
export class Transitions {
  readonly #driver: StoreDriver;
  readonly #workers: WorkerBook;
  readonly #runtime: Runtime;
  #orderInMs = 0;
  #lastNowMs = 0;

  constructor(driver: StoreDriver, workers: WorkerBook, runtime: Runtime) {
    this.#driver = driver;
    this.#workers = workers;
    this.#runtime = runtime;
  }

  /** A context at the store's time. Queue positions of one handle never go back, whatever the clock does. */
  context(): TransitionContext {
    const nowMs = this.#runtime.clock.nowMs();
    return {
      nowMs,
      queuePosition: (place) => {
        if (nowMs > this.#lastNowMs) {
          this.#lastNowMs = nowMs;
          this.#orderInMs = 0;
        }
        this.#orderInMs += 1;
        const position = this.#lastNowMs + this.#orderInMs / 4096;
        return place === "tail" ? position : -position;
      },
    };
  }

  /** The record. @throws rollout_not_found, evicted */
  async require(rolloutId: string): Promise<RolloutRecord> {
    const record = await this.#driver.readRollout(rolloutId);
    if (record === "evicted") throw evictedError(rolloutId);
    if (record !== undefined) return record;
    throw new NotFoundError({
      code: "rollout_not_found",
      message: `Rollout ${rolloutId} not found; check the id and the store it was made in`,
      details: { rolloutId },
    });
  }

  /** Applies a rule until its write wins. `decide` gives `undefined` when nothing is to be written. @throws rollout_not_found, evicted */
  async apply(
    rolloutId: string,
    decide: (record: RolloutRecord, context: TransitionContext) => Transition | undefined,
  ): Promise<RolloutRecord> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const record = await this.require(rolloutId);
      const context = this.context();
      const transition = decide(record, context);
      if (transition === undefined) return record;
      if (await this.#driver.replaceRollout(transition.record, record.revision)) {
        await this.#workers.apply(transition.workers, context.nowMs);
        return transition.record;
      }
    }
    throw new LightningError({
      code: "conflict",
      message: `rollout ${rolloutId} changed ${mostTries} times while it was being written`,
    });
  }

  /** Ends what is overdue; guarded by all that was judged, so that a renewal in between wins. */
  async sweep(): Promise<void> {
    const context = this.context();
    for (;;) {
      const due = await this.#driver.dueRollouts(context.nowMs, 100);
      if (due.length === 0) return;
      let moved = false;
      for (const record of due) {
        const transition = expire(record, context);
        if (transition === undefined) continue;
        if (await this.#driver.replaceRollout(transition.record, record.revision, record.nextDeadlineMs)) {
          moved = true;
          await this.#workers.apply(transition.workers, context.nowMs);
        }
      }
      if (!moved) return;
    }
  }
}

/** What a call about a dropped rollout is answered with. */
export function evictedError(rolloutId: string): LightningError {
  return new LightningError({
    code: "evicted",
    message: `Rollout ${rolloutId} was dropped by the store's retention; read results before, or raise the bound`,
    details: { rolloutId },
  });
}
