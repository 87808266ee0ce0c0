import {
  type Attempt,
  findFinalReward,
  LightningError,
  type LightningStore,
  type Rollout,
  type Span,
  spanNames,
} from "@agentlightning/core";

/** A finished rollout with all that belongs to it. */
export interface FinishedRollout {
  readonly rollout: Rollout;
  readonly attempts: readonly Attempt[];
  readonly spans: readonly Span[];
  /** Spans of its latest attempt. */
  readonly latestSpans: readonly Span[];
  readonly reward: number | undefined;
}

/** Reads a finished rollout once; `undefined` when the store has it no more. */
export async function collectRollout(store: LightningStore, rolloutId: string): Promise<FinishedRollout | undefined> {
  try {
    const [rollout, attempts, spans] = await Promise.all([
      store.getRolloutById(rolloutId),
      store.queryAttempts(rolloutId),
      store.querySpans(rolloutId),
    ]);
    if (rollout === undefined) return undefined;
    const latestSpans = spans.items.filter((span) => span.attemptId === rollout.attempt?.attemptId);
    return { rollout, attempts: attempts.items, spans: spans.items, latestSpans, reward: findFinalReward(latestSpans) };
  } catch (error) {
    if (LightningError.isInstance(error, "evicted")) return undefined;
    throw error;
  }
}

/** Why a rollout failed, in one line. */
export function explainFailure({ rollout, latestSpans }: FinishedRollout): string {
  const { attempt } = rollout;
  if (attempt === undefined) return `${rollout.status} before any attempt`;
  if (attempt.error !== undefined) return attempt.error;
  const exception = latestSpans.findLast((span) => span.name === spanNames.exception);
  const message = exception?.attributes["exception.message"];
  if (typeof message === "string") return message;
  const reason =
    attempt.endReason === undefined || attempt.endReason === attempt.status ? "" : ` (${attempt.endReason})`;
  return `attempt ${attempt.sequenceId} ended ${attempt.status}${reason}`;
}
