import type { Runtime, TimerHandle } from "@agentlightning/core";
import type { Awaitable } from "./awaitable.ts";
import { ClockGuard } from "./clock-guard.ts";
import type { StoreDriver } from "./driver.ts";
import type { Transitions } from "./transitions.ts";

/** Ends what is overdue, before a call that could see it, and when nobody calls: one timer, set to the earliest of them. */
export class Sweeper {
  readonly #driver: StoreDriver;
  readonly #transitions: Transitions;
  readonly #runtime: Runtime;
  readonly #guard: ClockGuard;
  #timer: TimerHandle | undefined;
  #setForMs: number | undefined;
  #closed = false;

  constructor(driver: StoreDriver, transitions: Transitions, runtime: Runtime) {
    this.#driver = driver;
    this.#transitions = transitions;
    this.#runtime = runtime;
    this.#guard = new ClockGuard(runtime.clock);
  }

  /** Applies overdue deadlines; costs a comparison when there are none, and no promise where the engine answers at once. */
  catchUp(): Awaitable<void> {
    const earliestMs = this.#driver.earliestDeadlineMs();
    return earliestMs instanceof Promise ? earliestMs.then((ms) => this.#apply(ms)) : this.#apply(earliestMs);
  }

  #apply(earliestMs: number | undefined): Awaitable<void> {
    if (earliestMs === undefined || this.#runtime.clock.nowMs() <= earliestMs) return this.#set(earliestMs);
    const quietForMs = this.#guard.quietForMs();
    if (quietForMs > 0) return this.#set(this.#runtime.clock.nowMs() + quietForMs);
    return this.#transitions.sweep().then(() => this.reset());
  }

  /** Sees to the timer after a write that may have brought a deadline. */
  reset(): Awaitable<void> {
    const earliestMs = this.#driver.earliestDeadlineMs();
    return earliestMs instanceof Promise ? earliestMs.then((ms) => this.#set(ms)) : this.#set(earliestMs);
  }

  /** A timer that fires too early looks again; only one that would fire too late is set anew. */
  #set(earliestMs: number | undefined): void {
    if (this.#closed || earliestMs === undefined) return;
    if (this.#setForMs !== undefined && this.#setForMs <= earliestMs) return;
    this.#timer?.cancel();
    this.#setForMs = earliestMs;
    // Strictly later than the deadline; the timer keeps no process alive, since whoever waits does.
    const delayMs = Math.max(earliestMs - this.#runtime.clock.nowMs(), 0) + 1;
    this.#guard.expectTimer(delayMs);
    this.#timer = this.#runtime.clock.setTimer(() => void this.#fire(), delayMs, { keepAlive: false });
  }

  async #fire(): Promise<void> {
    this.#setForMs = undefined;
    this.#guard.noteTimer();
    try {
      await this.catchUp();
    } catch {
      // A failing engine is reported by the calls of those who wait; the next call sweeps again.
    }
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }
}
