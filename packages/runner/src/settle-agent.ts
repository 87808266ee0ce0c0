import type { Clock, TimerHandle } from "@agentlightning/core";
import type { RunningAttempt } from "./running-attempt.ts";

/** How the agent's part of an attempt ended. */
export type AgentEnd =
  | { readonly status: "returned"; readonly value: unknown }
  | { readonly status: "threw"; readonly error: unknown }
  /** Something that is not the agent's fault kept it from running. */
  | { readonly status: "prevented"; readonly error: unknown }
  /** Told to stop, and still running when its time to settle was over. */
  | { readonly status: "abandoned" };

/** Waits for the agent; once it was told to stop, for at most `settleMs` more, so that it never holds its slot for ever. */
export async function settleAgent(
  running: RunningAttempt,
  run: () => Promise<AgentEnd>,
  { clock, settleMs }: { readonly clock: Clock; readonly settleMs: number },
): Promise<AgentEnd> {
  const gate = Promise.withResolvers<AgentEnd>();
  let timer: TimerHandle | undefined;
  running.onAbort(() => {
    timer = clock.setTimer(() => gate.resolve({ status: "abandoned" }), settleMs);
  });
  run().then(gate.resolve, (error: unknown) => gate.resolve({ status: "threw", error }));
  try {
    return await gate.promise;
  } finally {
    running.settle();
    timer?.cancel();
  }
}
