import { LightningError, NotFoundError, type Runtime } from "@agentlightning/core";
import { expire, type RolloutRecord, type Transition, type TransitionContext } from "@agentlightning/core/lifecycle";
import { type Awaitable, chain } from "./awaitable.ts";
import type { StoreDriver } from "./driver.ts";
import type { Retention } from "./retention.ts";
import { checkText } from "./validate.ts";
import { workerWrites } from "./worker-writes.ts";

/** Distance of two queue positions; a double holds it exactly beside today's epoch milliseconds, and until 2109. */
const positionStep = 2 ** -11;
/** Takes a position in front of every rollout that was queued at the tail; later ones stay behind earlier ones. */
const headShift = 2 ** 42;

/** Lets a rule decide about a record as it stands, and writes what it says. */
export class Transitions {
  readonly #driver: StoreDriver;
  readonly #retention: Retention;
  readonly #runtime: Runtime;
  #lastPosition = 0;

  constructor(driver: StoreDriver, retention: Retention, runtime: Runtime) {
    this.#driver = driver;
    this.#retention = retention;
    this.#runtime = runtime;
  }

  /** The store's time; epoch milliseconds. */
  nowMs(): number {
    return this.#runtime.clock.nowMs();
  }

  /** A context at the store's time. Queue positions of one handle never go back, whatever the clock does. */
  context(): TransitionContext {
    const nowMs = this.#runtime.clock.nowMs();
    return {
      nowMs,
      queuePosition: (place) => {
        this.#lastPosition = Math.max(nowMs, this.#lastPosition + positionStep);
        return place === "tail" ? this.#lastPosition : this.#lastPosition - headShift;
      },
    };
  }

  /** The record. @throws rollout_not_found, evicted */
  require(rolloutId: string): Awaitable<RolloutRecord> {
    checkText(rolloutId, "rolloutId");
    return chain(this.#driver.readRollout(rolloutId), (record) => record ?? this.#refuse(rolloutId));
  }

  /** Applies a rule. `decide` gives `undefined` when nothing is to be written. @throws rollout_not_found, evicted */
  apply(
    rolloutId: string,
    decide: (record: RolloutRecord, context: TransitionContext) => Transition | undefined,
  ): Awaitable<RolloutRecord> {
    checkText(rolloutId, "rolloutId");
    const context = this.context();
    const changed = this.#driver.changeRollout(rolloutId, (current) => {
      const transition = decide(current, context);
      if (transition === undefined) return undefined;
      return { record: transition.record, workers: workerWrites(transition.workers, context.nowMs) };
    });
    return chain(changed, (record) => record ?? this.#refuse(rolloutId));
  }

  #refuse(rolloutId: string): never {
    if (this.#retention.hasDropped(rolloutId)) throw evictedError(rolloutId);
    throw new NotFoundError({
      code: "rollout_not_found",
      message: `Rollout ${rolloutId} not found; check the id and the store it was made in`,
      details: { rolloutId },
    });
  }

  /** Ends what is overdue. Judged anew on the record as it stands when it is written, so that a renewal in between wins. */
  async sweep(): Promise<void> {
    const { nowMs } = this.context();
    for (;;) {
      const due = await this.#driver.dueRollouts(nowMs, 100);
      let moved = false;
      for (const { rollout } of due) {
        const decide = (current: RolloutRecord, context: TransitionContext): Transition | undefined => {
          const transition = expire(current, { ...context, nowMs });
          moved ||= transition !== undefined;
          return transition;
        };
        await ignoreGone(async () => this.apply(rollout.rolloutId, decide));
      }
      if (!moved) return;
    }
  }
}

/** A rollout that vanished since it was listed needs no verdict. */
async function ignoreGone(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (LightningError.isInstance(cause, "evicted") || LightningError.isInstance(cause, "rollout_not_found")) return;
    throw cause;
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
