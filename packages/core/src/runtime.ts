import type { Clock, Runtime, TimerHandle } from "./clock.ts";
import { createIdGenerator } from "./id.ts";

/** Longest delay a JavaScript timer takes; a longer one would fire at once. */
const longestDelayMs = 2 ** 31 - 1;

/** The process's clock and timers. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimer(callback, delayMs, options): TimerHandle {
    const timer: unknown = setTimeout(callback, Math.min(Math.max(delayMs, 0), longestDelayMs));
    if (options?.keepAlive === false && typeof timer === "object" && timer !== null && "unref" in timer) {
      // Only Node and its kin have timers that hold a process open, as objects.
      (timer as { unref(): void }).unref();
    }
    return { cancel: () => clearTimeout(timer as ReturnType<typeof setTimeout>) };
  },
};

/** The surroundings that everything uses unless a test gives others. */
export const systemRuntime: Runtime = {
  clock: systemClock,
  random: Math.random,
  ids: createIdGenerator(),
};
