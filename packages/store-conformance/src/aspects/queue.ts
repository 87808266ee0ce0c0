import { drain, enqueue } from "../arrange.ts";
import { type CaseContext, casesOf } from "../case.ts";
import { equal } from "../check.ts";

async function inOrder({ store }: CaseContext): Promise<void> {
  await enqueue(store, 5);
  equal(await drain(store), [0, 1, 2, 3, 4]);
  equal(await store.dequeueRollout(), undefined, "an empty queue gives nothing, again and again");
  equal(await store.dequeueRollout(), undefined);
}

async function callersGetDifferentOnes({ store }: CaseContext): Promise<void> {
  await enqueue(store, 20);
  const claimed = await Promise.all(Array.from({ length: 30 }, () => store.dequeueRollout()));
  const ids = claimed.flatMap((rollout) => rollout?.rolloutId ?? []);
  equal([ids.length, new Set(ids).size], [20, 20]);
}

export const queueCases = casesOf("queue", [
  ["rollouts are claimed in the order they were enqueued, and then there is none", inOrder],
  ["thirty callers of twenty rollouts get twenty different ones", callersGetDifferentOnes],
]);
