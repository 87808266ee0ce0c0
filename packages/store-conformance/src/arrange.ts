import type {
  AttemptedRollout,
  DequeueOptions,
  LightningStore,
  Rollout,
  RolloutRequest,
  SpanInput,
} from "@agentlightning/core";
import { holds } from "./check.ts";

let spanCount = 0;

/** A span of an attempt, with an id of its own. */
export function spanOf(
  attempt: { readonly rolloutId: string; readonly attemptId: string },
  fields: Partial<SpanInput> = {},
): SpanInput {
  spanCount += 1;
  return {
    rolloutId: attempt.rolloutId,
    attemptId: attempt.attemptId,
    traceId: "0".repeat(32),
    spanId: spanCount.toString(16).padStart(16, "0"),
    name: "step",
    status: { statusCode: "UNSET" },
    attributes: {},
    events: [],
    links: [],
    resource: { attributes: {}, schemaUrl: "" },
    ...fields,
  };
}

/** Claims the next rollout; fails when none waits. */
export async function claim(store: LightningStore, options: DequeueOptions = {}): Promise<AttemptedRollout> {
  const claimed = await store.dequeueRollout(options);
  holds(claimed !== undefined, "a rollout waits, and the claim found none");
  return claimed;
}

/** Enqueues rollouts with the inputs 0, 1, 2, …, one after another. */
export async function enqueue(
  store: LightningStore,
  count: number,
  request: Partial<RolloutRequest> = {},
): Promise<readonly Rollout[]> {
  const rollouts: Rollout[] = [];
  for (let input = 0; input < count; input += 1) rollouts.push(await store.enqueueRollout({ input, ...request }));
  return rollouts;
}

/** Enqueues one rollout and claims it. */
export async function enqueueAndClaim(
  store: LightningStore,
  request: Partial<RolloutRequest> = {},
  options: DequeueOptions = {},
): Promise<AttemptedRollout> {
  await store.enqueueRollout({ input: null, ...request });
  return claim(store, options);
}

/** Claims until nothing waits; gives the inputs in the order of the claims. */
export async function drain(store: LightningStore): Promise<readonly unknown[]> {
  const inputs: unknown[] = [];
  for (let next = await store.dequeueRollout(); next !== undefined; next = await store.dequeueRollout()) {
    inputs.push(next.input);
  }
  return inputs;
}
