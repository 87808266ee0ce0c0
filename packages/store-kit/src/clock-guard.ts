import type { Clock } from "@agentlightning/core";

/** How long nothing is ended after the clocks parted: as long as the lease of our runners, so that each renews in it. */
const quietMs = 30_000;
/** How far wall clock and monotonic clock may part before the wall clock is taken to have jumped. */
const mostDriftMs = 1_000;
/** How late a timer may come before the process is taken to have stood still. */
const mostLateMs = quietMs / 3;

/**
 * Notices that deadlines may look overdue without anybody's fault: the wall clock was set, the laptop slept, the event
 * loop stood still. Whoever is alive renews within a lease; until that has passed, nothing is to be ended.
 */
export class ClockGuard {
  readonly #clock: Clock;
  #differenceMs: number;
  #quietUntilMs = Number.NEGATIVE_INFINITY;
  #timerDueMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#differenceMs = clock.nowMs() - clock.monotonicMs();
  }

  /** A timer was set that comes after this delay. */
  expectTimer(delayMs: number): void {
    this.#timerDueMs = this.#clock.monotonicMs() + delayMs;
  }

  /** That timer came. */
  noteTimer(): void {
    this.#judge();
    this.#timerDueMs = Number.POSITIVE_INFINITY;
  }

  /** How long nothing is to be ended from now on; 0 when the clocks can be trusted. */
  quietForMs(): number {
    this.#judge();
    return Math.max(0, this.#quietUntilMs - this.#clock.monotonicMs());
  }

  #judge(): void {
    const monotonicMs = this.#clock.monotonicMs();
    const differenceMs = this.#clock.nowMs() - monotonicMs;
    const jumped = Math.abs(differenceMs - this.#differenceMs) > mostDriftMs;
    const stoodStill = monotonicMs - this.#timerDueMs > mostLateMs;
    // Slow drift, as of a clock that is disciplined, is followed.
    this.#differenceMs = differenceMs;
    if (!jumped && !stoodStill) return;
    this.#quietUntilMs = monotonicMs + quietMs;
    this.#timerDueMs = Number.POSITIVE_INFINITY;
  }
}
