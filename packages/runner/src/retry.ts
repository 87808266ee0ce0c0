import { LightningError, type Runtime } from "@agentlightning/core";
import { pause } from "./wait.ts";

/** How long a store may be away. */
export interface RetryOptions {
  readonly runtime: Runtime;
  /** Longest time between the first failure and giving up, in milliseconds. */
  readonly outageMs: number;
  /** Ends the waiting; the last error is then thrown. */
  readonly signal: AbortSignal;
  /** Told of each failure that is going to be repeated. */
  readonly onRetry: (error: unknown, delayMs: number) => void;
}

const firstDelayMs = 100;
const longestDelayMs = 5_000;

/** Whether repeating may help: what is no error of ours came from a driver or the network. */
function mayRepeat(error: unknown): boolean {
  return !LightningError.isInstance(error) || error.retryable;
}

/** Repeats a store call with growing, jittered pauses until it works, cannot work, or `outageMs` have passed. */
export async function retryWhileAway<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, random } = options.runtime;
  let firstFailureMs: number | undefined;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      firstFailureMs ??= clock.monotonicMs();
      const left = firstFailureMs + options.outageMs - clock.monotonicMs();
      if (!mayRepeat(error) || left <= 0 || options.signal.aborted) throw error;
      const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** attempt) * (0.5 + random() / 2);
      options.onRetry(error, Math.min(delayMs, left));
      await pause(clock, Math.min(delayMs, left), options.signal);
      if (options.signal.aborted) throw error;
    }
  }
}
