import type { LightningStore, Logger, RolloutEvent } from "@agentlightning/core";
import { errorText } from "./error-text.ts";
import type { RunningAttempt } from "./running-attempt.ts";

/** Far more than can lie between a claim and its arrival. */
const mostRemembered = 1_000;

/** The attempts of one runner that run now, told of what the store says about their rollouts. */
export class AttemptRegistry {
  /** Rollouts cancelled lately: a claim may be cancelled before its claimer has it in hand. */
  readonly #cancelled = new Map<string, string | undefined>();
  readonly #byRollout = new Map<string, Set<RunningAttempt>>();
  readonly #store: LightningStore;
  readonly #log: Logger;

  constructor(store: LightningStore, log: Logger) {
    this.#store = store;
    this.#log = log;
  }

  add(running: RunningAttempt): void {
    const known = this.#byRollout.get(running.rolloutId);
    if (known === undefined) this.#byRollout.set(running.rolloutId, new Set([running]));
    else known.add(running);
    const cancelledAttempt = this.#cancelled.get(running.rolloutId);
    if (cancelledAttempt === running.attemptId) running.abort({ kind: "cancelled" });
  }

  delete(running: RunningAttempt): void {
    const known = this.#byRollout.get(running.rolloutId);
    known?.delete(running);
    if (known?.size === 0) this.#byRollout.delete(running.rolloutId);
  }

  /** Acts on a status change of a rollout that runs here. */
  onEvent(event: RolloutEvent): void {
    if (event.status === "cancelled") this.#remember(event);
    for (const running of this.#byRollout.get(event.rolloutId) ?? []) {
      if (running.settled) continue;
      if (event.status === "cancelled") running.abort({ kind: "cancelled" });
      else if (event.attemptId !== undefined && event.attemptId !== running.attemptId) void this.#check(running);
      else if (event.status !== "preparing" && event.status !== "running") void this.#check(running);
    }
  }

  #remember({ rolloutId, attemptId }: RolloutEvent): void {
    this.#cancelled.delete(rolloutId);
    this.#cancelled.set(rolloutId, attemptId);
    const [oldest] = this.#cancelled.keys();
    if (this.#cancelled.size > mostRemembered && oldest !== undefined) this.#cancelled.delete(oldest);
  }

  /** The event alone does not say what became of our attempt: read it. */
  async #check(running: RunningAttempt): Promise<void> {
    const { rolloutId, attemptId, claim } = running;
    try {
      const { items } = await this.#store.queryAttempts(rolloutId);
      const own = items.find((attempt) => attempt.attemptId === attemptId);
      const { timeoutMs, unresponsiveMs } = claim.config;
      if (own === undefined) running.abort({ kind: "lost", reason: "not_found" });
      else if (own.status === "timeout") running.abort({ kind: "timeout", limitMs: timeoutMs ?? 0 });
      else if (own.endReason === "cancelled") running.abort({ kind: "cancelled" });
      else if (own.endReason === "unresponsive") running.abort({ kind: "unresponsive", limitMs: unresponsiveMs ?? 0 });
      else if (own.status !== "preparing" && own.status !== "running") running.abort({ kind: "lost", reason: "ended" });
      else if (items.at(-1) !== own) running.abort({ kind: "lost", reason: "superseded" });
    } catch (error) {
      // The next renewal of the lease brings the same news.
      this.#log.debug(`reading attempt ${attemptId} failed: ${errorText(error)}`);
    }
  }
}
