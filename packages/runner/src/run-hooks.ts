import type { Clock, Logger } from "@agentlightning/core";
import { describeThrown } from "./describe-thrown.ts";
import type { RunnerHooks } from "./hooks.ts";
import { waitAtMost } from "./wait.ts";

/** A hook that never returns must not hold its attempt for ever. */
const hookBoundMs = 10_000;

/** Whose hooks are called, and where it is said when one fails. */
export interface HookRun {
  readonly hooks: readonly RunnerHooks[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** Calls one hook of each listener in order; never throws. */
export async function runHooks(
  { hooks, clock, log }: HookRun,
  name: keyof RunnerHooks,
  call: (listener: RunnerHooks) => void | Promise<void>,
): Promise<void> {
  for (const listener of hooks) {
    try {
      const result = call(listener);
      if (result === undefined) continue;
      const waited = await waitAtMost(clock, Promise.resolve(result), hookBoundMs);
      if (!waited.settled) log.error(`hook ${name} took longer than ${hookBoundMs} ms; going on without it`);
    } catch (error) {
      log.error(`hook ${name} threw: ${describeThrown(error).text}`);
    }
  }
}
