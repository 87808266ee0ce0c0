import type { Logger } from "@agentlightning/core";
import type { RunnerSummary } from "@agentlightning/runner";

/** The two sides of a run; each is told to stop by its signal, and then ends within bounds. */
export interface Sides<R> {
  readonly algorithm: (signal: AbortSignal) => Promise<R>;
  readonly runners: (signal: AbortSignal) => Promise<RunnerSummary>;
}

/**
 * Runs an algorithm and the runners that serve it, and stops each when the other is over or `signal` aborts.
 *
 * @throws what the algorithm throws; what the runners throw where it was they that ended the run
 */
export async function runSides<R>(
  sides: Sides<R>,
  { signal, logger }: { readonly signal: AbortSignal | undefined; readonly logger: Logger },
): Promise<R> {
  const stopAlgorithm = new AbortController();
  const stopRunners = new AbortController();
  const stop = (): void => {
    stopRunners.abort(signal?.reason);
    stopAlgorithm.abort(signal?.reason);
  };
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted === true) stop();
  let brokenRunners: { readonly error: unknown } | undefined;
  const serving = sides.runners(stopRunners.signal).catch((error: unknown) => {
    brokenRunners = { error };
    stopAlgorithm.abort(error);
  });
  try {
    const result = await sides.algorithm(stopAlgorithm.signal);
    if (brokenRunners !== undefined) logger.error("the runners had failed before the algorithm ended");
    return result;
  } catch (error) {
    throw stopAlgorithm.signal.aborted && brokenRunners !== undefined ? brokenRunners.error : error;
  } finally {
    stopRunners.abort();
    await serving;
    signal?.removeEventListener("abort", stop);
  }
}
