import type { AttemptedRollout, LightningStore, Logger } from "@agentlightning/core";
import { errorText } from "./error-text.ts";
import type { ResolvedRunnerOptions } from "./options.ts";
import { retryWhileAway } from "./retry.ts";
import { pause } from "./wait.ts";

/** The store wakes a waiting claim; the bound only limits what a lost wake-up can cost. */
const claimWaitMs = 20_000;
/** A store that answers "nothing" at once does not wait for work: it is asked again after a growing pause. */
const firstPauseMs = 5;
const longestPauseMs = 1_000;

interface OpenClaim {
  readonly stop: AbortController;
  readonly giveUp: () => void;
}

/** Asks the store for work, one claim per free slot, so that nothing is held that cannot start now. */
export class Claims {
  readonly #options: ResolvedRunnerOptions;
  readonly #store: LightningStore;
  readonly #log: Logger;
  // One entry per waiting slot: nothing is ever attached to a signal that outlives a claim.
  readonly #open = new Set<OpenClaim>();
  #stopped = false;

  constructor(options: ResolvedRunnerOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#log = options.logger;
  }

  /** No further claims; those that wait end. */
  stop(): void {
    this.#stopped = true;
    for (const { stop } of this.#open) stop.abort();
  }

  /** Waits no longer for claims that the store does not answer. */
  giveUp(): void {
    for (const { giveUp } of this.#open) giveUp();
  }

  /** Waits for work until there is some, or until {@link Claims.stop}. @throws what the store throws after `storeOutageMs` */
  async next(workerId: string): Promise<AttemptedRollout | undefined> {
    const { clock } = this.#options.runtime;
    for (let quickAnswers = 0; !this.#stopped; ) {
      const askedMs = clock.monotonicMs();
      const claim = await this.#ask(workerId, quickAnswers);
      if (claim !== undefined) return claim;
      quickAnswers = clock.monotonicMs() - askedMs < claimWaitMs / 2 ? quickAnswers + 1 : 0;
    }
    return undefined;
  }

  async #ask(workerId: string, quickAnswers: number): Promise<AttemptedRollout | undefined> {
    const { runtime, storeOutageMs, leaseMs } = this.#options;
    const gate = Promise.withResolvers<AttemptedRollout | undefined>();
    const stop = new AbortController();
    let gaveUp = false;
    const giveUp = (): void => {
      gaveUp = true;
      gate.resolve(undefined);
    };
    const open: OpenClaim = { stop, giveUp };
    this.#open.add(open);
    try {
      if (quickAnswers > 1) {
        const delayMs = Math.min(longestPauseMs, firstPauseMs * 2 ** quickAnswers);
        await pause(runtime.clock, delayMs, stop.signal);
        if (stop.signal.aborted) return undefined;
      }
      // One id for all repetitions: a claim whose answer was lost is given again instead of a second one.
      const request = { workerId, leaseMs, waitMs: claimWaitMs, requestId: `claim-${runtime.ids.spanId()}` };
      const asking = retryWhileAway(() => this.#store.dequeueRollout({ ...request, signal: stop.signal }), {
        runtime,
        outageMs: storeOutageMs,
        signal: stop.signal,
        onRetry: (error, delayMs) => {
          this.#log.warn(`claiming failed, again in ${Math.round(delayMs)} ms: ${errorText(error)}`);
        },
      });
      asking.then((claim) => {
        if (claim !== undefined && gaveUp) void this.#handBack(claim);
        gate.resolve(claim);
      }, gate.reject);
      return await gate.promise;
    } catch (error) {
      if (stop.signal.aborted) return undefined;
      throw error;
    } finally {
      this.#open.delete(open);
    }
  }

  /** For a claim that nobody waits for any more. */
  async #handBack({ rolloutId, attempt }: AttemptedRollout): Promise<void> {
    try {
      await this.#store.releaseAttempt(rolloutId, attempt.attemptId, { reason: "The runner had stopped." });
    } catch (error) {
      this.#log.warn(`a late claim could not be handed back; its lease will end it: ${errorText(error)}`, {
        rolloutId,
      });
    }
  }
}
