import { systemRuntime } from "@agentlightning/core";

/** What the work gives, or a rejection when it takes longer in real time than this. */
export async function within<T>(work: Promise<T>, limitMs: number, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = systemRuntime.clock.setTimer(
    () => late.reject(new Error(`${what} was not over after ${limitMs} ms; a promise that never settles?`)),
    limitMs,
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    timer.cancel();
  }
}
