import type { Attempt, Logger, Rollout, Span } from "@agentlightning/core";
import type { SpanVerbosity } from "./options.ts";

function isoTime(ms: number | undefined): string {
  return ms === undefined || !Number.isFinite(ms) ? "?" : new Date(ms).toISOString();
}

function lasting(startMs: number | undefined, endMs: number | undefined): string {
  if (startMs === undefined || endMs === undefined) return "unknown duration";
  return `${(Math.max(0, endMs - startMs) / 1_000).toFixed(3)} s`;
}

function describeSpan(rolloutId: string, span: Span, verbosity: SpanVerbosity): string {
  const { attemptId, spanId, sequenceId, name, startTimeMs, endTimeMs, attributes } = span;
  const shown =
    verbosity === "key_values"
      ? `Attributes: ${JSON.stringify(attributes)}`
      : `Attribute keys: ${Object.keys(attributes).join(", ")}`;
  const when = `From ${isoTime(startTimeMs)} to ${isoTime(endTimeMs)}, ${lasting(startTimeMs, endTimeMs)}`;
  return `[Rollout ${rolloutId} | Attempt ${attemptId} | Span ${spanId}] #${sequenceId} (${name}) ${when}. ${shown}`;
}

/** What is logged of a finished rollout: itself, each attempt with its own spans. */
export function logFinished(
  logger: Logger,
  verbosity: SpanVerbosity,
  {
    rollout,
    attempts,
    spans,
  }: { readonly rollout: Rollout; readonly attempts: readonly Attempt[]; readonly spans: readonly Span[] },
): void {
  const { rolloutId, status, startTimeMs, endTimeMs } = rollout;
  logger.info(`[Rollout ${rolloutId}] Finished with status ${status} in ${lasting(startTimeMs, endTimeMs)}.`);
  for (const attempt of attempts) {
    const { sequenceId, attemptId, workerId } = attempt;
    logger.info(
      `[Rollout ${rolloutId} | Attempt ${sequenceId}] ID: ${attemptId}. Status: ${attempt.status}. Worker: ${workerId ?? "none"}`,
    );
    if (verbosity === "none") continue;
    for (const span of spans) if (span.attemptId === attemptId) logger.info(describeSpan(rolloutId, span, verbosity));
  }
}
