import { AbortedError } from "@agentlightning/core";

let shared: AbortSignal | undefined;

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * A signal that aborts on the first SIGINT (Ctrl-C) or SIGTERM, and makes 130 or 143 the process's exit code; a second
 * one ends the process with 130 at once. One per process: every call gives the same signal. Call it in your main
 * module, since it takes the place of Node's own reaction to these two.
 *
 * @example
 * await new Runner({ store, agent }).run({ signal: shutdownSignal() });
 */
export function shutdownSignal(): AbortSignal {
  if (shared !== undefined) return shared;
  const controller = new AbortController();
  shared = controller.signal;
  const onSignal = (name: keyof typeof exitCodes): void => {
    if (controller.signal.aborted) process.exit(exitCodes.SIGINT);
    process.exitCode = exitCodes[name];
    controller.abort(new AbortedError({ message: `The process received ${name}.`, details: { signal: name } }));
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return shared;
}
