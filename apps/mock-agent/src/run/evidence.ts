import { type Attempt, findFinalReward, type LightningStore, type Rollout, type Span } from "@agentlightning/core";

/** All that the store holds of one rollout. */
export interface RolloutEvidence {
  readonly rollout: Rollout;
  readonly attempts: readonly Attempt[];
  readonly spans: readonly Span[];
  readonly latestSpans: readonly Span[];
  readonly reward: number | undefined;
}

/** Reads every rollout with its attempts and spans from the store. */
export async function readEvidence(store: LightningStore): Promise<readonly RolloutEvidence[]> {
  const rollouts = await store.queryRollouts();
  return Promise.all(
    rollouts.items.map(async (rollout): Promise<RolloutEvidence> => {
      const { items: attempts } = await store.queryAttempts(rollout.rolloutId);
      const { items: spans } = await store.querySpans(rollout.rolloutId);
      const latestSpans = spans.filter((span) => span.attemptId === rollout.attempt?.attemptId);
      return { rollout, attempts, spans, latestSpans, reward: findFinalReward(latestSpans) };
    }),
  );
}
