import { systemRuntime } from "@agentlightning/core";
import { isBusy, lockTimeout } from "./sqlite-errors.ts";

const { clock, random } = systemRuntime;

/** How long to wait before the lock is asked for again: a random while, so that processes do not keep step. */
function jitterMs(): number {
  return 1 + random() * 14;
}

/** Calls back after a random while of real time: a lock is held by a real process, whatever the store's clock says. */
export function soon(callback: () => void): void {
  clock.setTimer(callback, jitterMs());
}

/** Real milliseconds that only grow. */
export function nowMs(): number {
  return clock.monotonicMs();
}

/** Repeats work that found the database locked, outside the turn, until `busyTimeoutMs` have passed. @throws unavailable */
export async function whileBusy<T>(path: string, busyTimeoutMs: number, work: () => T): Promise<T> {
  const startedAtMs = nowMs();
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (nowMs() - startedAtMs >= busyTimeoutMs) throw lockTimeout(path, busyTimeoutMs, error);
    }
    await new Promise<void>(soon);
  }
}
