import type { Clock, RolloutConfig, TimerHandle } from "@agentlightning/core";
import type { RunningAttempt } from "./running-attempt.ts";

/** Ends an agent that takes longer than `timeoutMs`, or is silent for longer than `unresponsiveMs`. */
export class Watchdog {
  readonly #clock: Clock;
  readonly #running: RunningAttempt;
  readonly #spansSeen: () => number;
  readonly #timers = new Set<TimerHandle>();
  #lastSignMs: number;
  #lastSpans = 0;

  constructor(clock: Clock, running: RunningAttempt, config: RolloutConfig, spansSeen: () => number) {
    this.#clock = clock;
    this.#running = running;
    this.#spansSeen = spansSeen;
    this.#lastSignMs = clock.monotonicMs();
    const { timeoutMs, unresponsiveMs } = config;
    if (timeoutMs !== undefined) this.#after(timeoutMs, () => running.abort({ kind: "timeout", limitMs: timeoutMs }));
    if (unresponsiveMs !== undefined) this.#watchSilence(unresponsiveMs, unresponsiveMs);
  }

  /** The agent said that it is alive. */
  sign(): void {
    this.#lastSignMs = this.#clock.monotonicMs();
  }

  stop(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  #after(delayMs: number, callback: () => void): void {
    const timer = this.#clock.setTimer(() => {
      this.#timers.delete(timer);
      callback();
    }, delayMs);
    this.#timers.add(timer);
  }

  #watchSilence(limitMs: number, delayMs: number): void {
    this.#after(delayMs, () => {
      const spans = this.#spansSeen();
      if (spans > this.#lastSpans) {
        // When exactly it came is not known: look again one whole limit later.
        this.#lastSpans = spans;
        this.sign();
      }
      const leftMs = this.#lastSignMs + limitMs - this.#clock.monotonicMs();
      if (leftMs <= 0) this.#running.abort({ kind: "unresponsive", limitMs });
      else this.#watchSilence(limitMs, leftMs);
    });
  }
}
