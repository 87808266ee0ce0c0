import type { LightningStore, Logger } from "@agentlightning/core";
import { errorText } from "./error-text.ts";
import type { RunningAttempt } from "./running-attempt.ts";

/** Sends an agent's signs of life: one call at a time, however often the agent gives one. */
export class Heartbeat {
  readonly #store: LightningStore;
  readonly #running: RunningAttempt;
  readonly #log: Logger;
  #sending = false;

  constructor(store: LightningStore, running: RunningAttempt, log: Logger) {
    this.#store = store;
    this.#running = running;
    this.#log = log;
  }

  send(): void {
    if (this.#sending || this.#running.settled) return;
    this.#sending = true;
    this.#store
      .heartbeatAttempt(this.#running.rolloutId, this.#running.attemptId)
      .catch((error: unknown) => this.#log.debug(`heartbeat failed: ${errorText(error)}`))
      .finally(() => {
        this.#sending = false;
      });
  }
}
