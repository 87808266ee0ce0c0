import type { AttemptedRollout, LightningStore, Logger, Runtime, TimerHandle } from "@agentlightning/core";
import type { AbortCause } from "./abort-cause.ts";
import { describeThrown } from "./describe-thrown.ts";

/** What a lease keeper needs. */
export interface LeaseKeeperOptions {
  readonly store: LightningStore;
  readonly claim: AttemptedRollout;
  readonly leaseMs: number;
  /** Longest time the event loop may stand still before the lease is given up, in milliseconds. */
  readonly maxBlockedMs: number;
  readonly runtime: Runtime;
  readonly log: Logger;
  readonly onLost: (cause: AbortCause) => void;
}

/** Renews one attempt's lease on a timer of its own, whether or not spans arrive. */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions;
  readonly #periodMs: number;
  #timer: TimerHandle | undefined;
  #dueMs = 0;
  #stopped = false;

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
    this.#periodMs = options.leaseMs / 3;
    this.#schedule();
  }

  /** Idempotent; a renewal on its way is ignored when it returns. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #schedule(): void {
    const { clock } = this.#options.runtime;
    this.#dueMs = clock.monotonicMs() + this.#periodMs;
    this.#timer = clock.setTimer(() => void this.#renew(), this.#periodMs);
  }

  async #renew(): Promise<void> {
    const { store, claim, leaseMs, log } = this.#options;
    if (this.#gaveUpAfterBlock()) return;
    try {
      const outcome = await store.renewLease(claim.rolloutId, claim.attempt.attemptId, { leaseMs });
      if (this.#stopped) return;
      if (outcome.status === "lost") {
        this.#lose(outcome.reason === "cancelled" ? { kind: "cancelled" } : { kind: "lost", reason: outcome.reason });
        return;
      }
    } catch (error) {
      if (this.#stopped) return;
      // One lost beat is harmless: two more fit into the lease.
      log.warn(`lease renewal failed, trying again: ${describeThrown(error).text}`);
    }
    this.#schedule();
  }

  /** True when the loop stood still for so long that the agent may not be trusted to be alone. */
  #gaveUpAfterBlock(): boolean {
    const { runtime, maxBlockedMs, log } = this.#options;
    const blockedMs = Math.round(runtime.clock.monotonicMs() - this.#dueMs);
    if (blockedMs > this.#periodMs)
      log.warn(`the event loop was blocked for ${blockedMs} ms; the lease was not renewed`);
    if (blockedMs <= maxBlockedMs) return false;
    this.#lose({ kind: "lost", reason: "event_loop_blocked" });
    return true;
  }

  #lose(cause: AbortCause): void {
    this.stop();
    this.#options.onLost(cause);
  }
}
