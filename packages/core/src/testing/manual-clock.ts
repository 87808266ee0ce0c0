import type { Clock, TimerHandle } from "../clock.ts";

/** A clock that moves only when told to. */
export interface ManualClock extends Clock {
  /** Moves time forward, firing due timers in order and letting pending promises settle after each. */
  advance(ms: number): Promise<void>;
}

interface PendingTimer {
  readonly dueMs: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Lets every promise that is ready settle: a macrotask comes after all microtasks. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(undefined);
  });
}

/** @param startMs - Where the clock starts; epoch milliseconds. */
export function createManualClock(startMs: number = 1_700_000_000_000): ManualClock {
  let nowMs = startMs;
  let order = 0;
  const timers = new Set<PendingTimer>();

  const nextDue = (untilMs: number): PendingTimer | undefined => {
    let next: PendingTimer | undefined;
    for (const timer of timers) {
      if (timer.dueMs > untilMs) continue;
      if (next === undefined || timer.dueMs < next.dueMs || (timer.dueMs === next.dueMs && timer.order < next.order)) {
        next = timer;
      }
    }
    return next;
  };

  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs - startMs,
    setTimer(callback, delayMs): TimerHandle {
      const timer: PendingTimer = { dueMs: nowMs + Math.max(delayMs, 0), order, callback };
      order += 1;
      timers.add(timer);
      return { cancel: () => void timers.delete(timer) };
    },
    async advance(ms) {
      const untilMs = nowMs + ms;
      await settle();
      for (let timer = nextDue(untilMs); timer !== undefined; timer = nextDue(untilMs)) {
        timers.delete(timer);
        nowMs = Math.max(nowMs, timer.dueMs);
        timer.callback();
        await settle();
      }
      nowMs = untilMs;
      await settle();
    },
  };
}
