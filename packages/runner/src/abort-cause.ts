import { AbortedError, LightningError, type LostReason } from "@agentlightning/core";

/** Why a running agent was told to stop. */
export type AbortCause =
  | { readonly kind: "timeout"; readonly limitMs: number }
  | { readonly kind: "unresponsive"; readonly limitMs: number }
  | { readonly kind: "cancelled" }
  | { readonly kind: "lost"; readonly reason: LostReason | "event_loop_blocked" }
  | { readonly kind: "shutdown" }
  /** The signal given to `step` aborted. */
  | { readonly kind: "caller"; readonly reason: unknown };

const messages: { readonly [K in AbortCause["kind"]]: (cause: Extract<AbortCause, { kind: K }>) => string } = {
  timeout: ({ limitMs }) => `The attempt took longer than its timeoutMs of ${limitMs} ms.`,
  unresponsive: ({ limitMs }) =>
    `The agent was silent (no span, no heartbeat) for longer than its unresponsiveMs of ${limitMs} ms.`,
  cancelled: () => "The rollout was cancelled.",
  lost: ({ reason }) => `This runner no longer holds the rollout (${reason}).`,
  shutdown: () => "The runner is shutting down.",
  caller: () => "The signal given to step() aborted.",
};

function messageOf<K extends AbortCause["kind"]>(
  cause: Extract<AbortCause, { kind: K }> & { readonly kind: K },
): string {
  return messages[cause.kind](cause);
}

/** The reason an agent finds on its signal: code `timeout`, or `aborted` with `details.reason`. */
export function abortReason(cause: AbortCause, ids: { rolloutId: string; attemptId: string }): LightningError {
  const message = messageOf(cause);
  const details = { reason: cause.kind, rolloutId: ids.rolloutId, attemptId: ids.attemptId };
  if (cause.kind === "timeout" || cause.kind === "unresponsive") {
    return new LightningError({ code: "timeout", message, details: { ...details, limitMs: cause.limitMs } });
  }
  if (cause.kind === "lost") return new AbortedError({ message, details: { ...details, lostReason: cause.reason } });
  return new AbortedError({ message, details, ...(cause.kind === "caller" ? { cause: cause.reason } : {}) });
}
