import type { Clock } from "@agentlightning/core";

/** Whether a bounded wait ended by its promise or by its bound. */
export type Bounded<T> = { readonly settled: true; readonly value: T } | { readonly settled: false };

/** Waits for a promise, but no longer than `boundMs` or until `signal` aborts; its rejection passes through meanwhile. */
export async function waitAtMost<T>(
  clock: Clock,
  promise: Promise<T>,
  boundMs: number,
  signal?: AbortSignal,
): Promise<Bounded<T>> {
  const gate = Promise.withResolvers<Bounded<T>>();
  const stop = (): void => gate.resolve({ settled: false });
  const timer = clock.setTimer(stop, boundMs);
  signal?.addEventListener("abort", stop);
  if (signal?.aborted === true) stop();
  promise.then((value) => gate.resolve({ settled: true, value }), gate.reject);
  try {
    return await gate.promise;
  } finally {
    timer.cancel();
    signal?.removeEventListener("abort", stop);
  }
}

/** Sleeps, or returns early when the signal aborts; never rejects and leaves no listener behind. */
export async function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const gate = Promise.withResolvers<void>();
  const wake = (): void => gate.resolve();
  const timer = clock.setTimer(wake, delayMs);
  signal.addEventListener("abort", wake);
  try {
    await gate.promise;
  } finally {
    timer.cancel();
    signal.removeEventListener("abort", wake);
  }
}
