import type { Runtime, TimerHandle } from "@agentlightning/core";
import type { StoreDriver } from "./driver.ts";
import type { Transitions } from "./transitions.ts";

/** Notices deadlines that pass while nobody calls: one timer, set to the earliest of them. */
export class Sweeper {
  readonly #driver: StoreDriver;
  readonly #transitions: Transitions;
  readonly #runtime: Runtime;
  #timer: TimerHandle | undefined;
  #setForMs: number | undefined;
  #closed = false;

  constructor(driver: StoreDriver, transitions: Transitions, runtime: Runtime) {
    this.#driver = driver;
    this.#transitions = transitions;
    this.#runtime = runtime;
  }

  /** Applies overdue deadlines; costs a comparison when there are none. */
  async catchUp(): Promise<void> {
    const earliestMs = await this.#driver.earliestDeadlineMs();
    if (earliestMs !== undefined && this.#runtime.clock.nowMs() > earliestMs) await this.#transitions.sweep();
    await this.reset();
  }

  /** Sets the timer anew after a write that may have brought a deadline. */
  async reset(): Promise<void> {
    if (this.#closed) return;
    const earliestMs = await this.#driver.earliestDeadlineMs();
    if (earliestMs === this.#setForMs) return;
    this.#timer?.cancel();
    this.#setForMs = earliestMs;
    if (earliestMs === undefined) return;
    // Strictly later than the deadline; the timer keeps no process alive, since whoever waits does.
    const delayMs = earliestMs - this.#runtime.clock.nowMs() + 1;
    this.#timer = this.#runtime.clock.setTimer(() => this.#fire(), delayMs, { keepAlive: false });
  }

  #fire(): void {
    this.#setForMs = undefined;
    // A failing engine is reported by the calls of those who wait; the next call sweeps again.
    this.catchUp().catch(() => undefined);
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }
}
