import type { LightningStore, Logger, RolloutEvent, Runtime } from "@agentlightning/core";
import { describeThrown } from "./describe-thrown.ts";
import { pause } from "./wait.ts";

/** What a watch needs. */
export interface CancelWatchOptions {
  readonly store: LightningStore;
  readonly runtime: Runtime;
  readonly log: Logger;
  readonly onEvent: (event: RolloutEvent) => void;
}

const pauseAfterFailureMs = 1_000;

/** Follows the store's status changes while anybody needs it: one watch per runner, however many attempts run. */
export class CancelWatch {
  readonly #options: CancelWatchOptions;
  #users = 0;
  #stop: AbortController | undefined;

  constructor(options: CancelWatchOptions) {
    this.#options = options;
  }

  /** Starts watching with the first user; the returned function (idempotent) ends it with the last. */
  acquire(): () => void {
    this.#users += 1;
    if (this.#stop === undefined) {
      this.#stop = new AbortController();
      void this.#follow(this.#stop.signal);
    }
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#users -= 1;
      if (this.#users > 0) return;
      this.#stop?.abort();
      this.#stop = undefined;
    };
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { store, runtime, log, onEvent } = this.#options;
    let since: string | undefined;
    while (!signal.aborted) {
      try {
        for await (const event of store.watchRollouts({ signal, since })) {
          if (signal.aborted) return;
          since = event.cursor;
          onEvent(event);
        }
        return; // The store was closed.
      } catch (error) {
        if (signal.aborted) return;
        log.debug(`watching rollouts failed, trying again: ${describeThrown(error).text}`);
        await pause(runtime.clock, pauseAfterFailureMs, signal);
      }
    }
  }
}
