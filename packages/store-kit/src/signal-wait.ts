import { AbortedError, type Clock } from "@agentlightning/core";

/** Why a wait ended. */
export type WaitEnd = "woken" | "timeout" | "aborted" | "closed";

/** A wait that ends at the first of: a wake, a deadline, an abort, the store's close. Leaves no listener and no timer behind. */
export interface Wait {
  readonly ended: Promise<WaitEnd>;
  wake(): void;
  /** Ends the wait; only the first end counts. */
  end(how: WaitEnd): void;
}

/** Longest delay that every timer takes. */
const longestDelayMs = 2 ** 31 - 1;

/** @param timeoutMs - Infinite: as long as it takes; the timer that is set even so keeps the process running meanwhile. */
export function startWait(clock: Clock, timeoutMs: number, signal: AbortSignal | undefined): Wait {
  let finish: (how: WaitEnd) => void = () => undefined;
  const ended = new Promise<WaitEnd>((resolve) => {
    finish = resolve;
  });
  const onAbort = (): void => end("aborted");
  const timer = clock.setTimer(() => end("timeout"), Math.min(timeoutMs, longestDelayMs));
  function end(how: WaitEnd): void {
    timer.cancel();
    signal?.removeEventListener("abort", onAbort);
    finish(how);
  }
  if (signal?.aborted === true) end("aborted");
  else signal?.addEventListener("abort", onAbort, { once: true });
  return { ended, end, wake: () => end("woken") };
}

/** The error of a wait that the caller's signal ended. */
export function abortedError(signal: AbortSignal | undefined, what: string): AbortedError {
  return new AbortedError({ message: `${what} was aborted`, cause: signal?.reason });
}
