import { AbortedError, type Clock, type TimerHandle } from "@agentlightning/core";

/** Waits for an algorithm; once `signal` aborts, for at most `boundMs` more, so that one that ignores it ends the call too. */
export async function settleAfterAbort<R>(
  run: () => Promise<R>,
  { signal, boundMs, clock }: { readonly signal: AbortSignal; readonly boundMs: number; readonly clock: Clock },
): Promise<R> {
  const gate = Promise.withResolvers<R>();
  let timer: TimerHandle | undefined;
  const giveUp = (): void => {
    const message = `The algorithm did not end within ${boundMs} ms of being told to stop.`;
    timer = clock.setTimer(() => gate.reject(new AbortedError({ message, cause: signal.reason })), boundMs);
  };
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  run().then(gate.resolve, gate.reject);
  try {
    return await gate.promise;
  } finally {
    timer?.cancel();
    signal.removeEventListener("abort", giveUp);
  }
}
