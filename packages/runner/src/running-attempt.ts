import type { AttemptedRollout } from "@agentlightning/core";
import { type AbortCause, abortReason } from "./abort-cause.ts";

/** One attempt while its agent runs: where it is told to stop, and why it was. */
export class RunningAttempt {
  readonly claim: AttemptedRollout;
  readonly rolloutId: string;
  readonly attemptId: string;
  readonly #controller = new AbortController();
  #cause: AbortCause | undefined;
  #onAbort: (() => void) | undefined;
  #settled = false;

  constructor(claim: AttemptedRollout) {
    this.claim = claim;
    this.rolloutId = claim.rolloutId;
    this.attemptId = claim.attempt.attemptId;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why it was told to stop, if it was before its agent settled. */
  get cause(): AbortCause | undefined {
    return this.#cause;
  }

  /** Whether the agent is over: from here on nothing can change how the attempt ends but the store's answer. */
  get settled(): boolean {
    return this.#settled;
  }

  /** Calls back when the attempt is told to stop; at once when it was already. */
  onAbort(callback: () => void): void {
    if (this.#cause === undefined) this.#onAbort = callback;
    else callback();
  }

  /** Tells the agent to stop; the first cause stands. */
  abort(cause: AbortCause): void {
    if (this.#cause !== undefined || this.#settled) return;
    this.#cause = cause;
    this.#controller.abort(abortReason(cause, this));
    this.#onAbort?.();
  }

  settle(): void {
    this.#settled = true;
    this.#onAbort = undefined;
  }
}
