import type { AbortCause } from "./abort-cause.ts";
import { abortReason } from "./abort-cause.ts";
import { type InterpretedResult, interpretResult } from "./agent-result.ts";
import type { AttemptOutcome } from "./hooks.ts";
import type { ReturnedSpanOwner } from "./returned-span.ts";
import type { AgentEnd } from "./settle-agent.ts";

/** What an attempt comes to, decided by how its agent ended and never by what its spans say. */
export interface Verdict {
  readonly outcome: AttemptOutcome;
  /** Why it is no success. Only with `isAgentError` can this be `undefined` and still be an error: agents throw anything. */
  readonly error?: unknown;
  readonly result: InterpretedResult;
  /** The agent's own error, worth an exception span. */
  readonly isAgentError: boolean;
}

const nothing: InterpretedResult = { kind: "nothing" };

const outcomes: { readonly [K in AbortCause["kind"]]: AttemptOutcome } = {
  timeout: "timeout",
  unresponsive: "unresponsive",
  cancelled: "cancelled",
  lost: "lost",
  shutdown: "released",
  caller: "cancelled",
};

/** An attempt that was told to stop ends by that cause, whatever its agent made of it. */
export function judge(end: AgentEnd, cause: AbortCause | undefined, owner: ReturnedSpanOwner): Verdict {
  if (cause !== undefined) {
    return { outcome: outcomes[cause.kind], error: abortReason(cause, owner), result: nothing, isAgentError: false };
  }
  if (end.status === "threw") return { outcome: "failed", error: end.error, result: nothing, isAgentError: true };
  if (end.status === "returned") {
    try {
      return { outcome: "succeeded", result: interpretResult(end.value, owner), isAgentError: false };
    } catch (error) {
      return { outcome: "failed", error, result: nothing, isAgentError: true };
    }
  }
  const error = end.status === "prevented" ? end.error : undefined;
  return { outcome: "released", error, result: nothing, isAgentError: false };
}
