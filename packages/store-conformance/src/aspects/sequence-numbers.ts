import { enqueueAndClaim, spanOf } from "../arrange.ts";
import { type CaseContext, casesOf, type ConformanceCase } from "../case.ts";
import { equal, holds, refuses } from "../check.ts";

async function oneCounter({ store }: CaseContext): Promise<void> {
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  const next = () => store.getNextSpanSequenceId(rolloutId, attempt.attemptId);
  const add = async () => (await store.addSpan(spanOf(attempt)))?.sequenceId;
  equal([await next(), await add(), await next(), await add()], [1, 2, 3, 4]);
  equal(await store.getNextSpanSequenceId(rolloutId, "at-unknown"), 5, "the counter is the rollout's");
  await store.startAttempt(rolloutId);
  equal(await next(), 6, "and goes on over attempts");
  await refuses(store.getNextSpanSequenceId("ro-unknown", "at-x"), "rollout_not_found");
}

async function inBulk({ store }: CaseContext): Promise<void> {
  const [a, b] = [await store.startRollout({ input: "a" }), await store.startRollout({ input: "b" })];
  const pair = ({ rolloutId, attempt }: typeof a) => [rolloutId, attempt.attemptId] as const;
  equal(await store.getManySpanSequenceIds([pair(a), pair(b), pair(a), pair(a)]), [1, 1, 2, 3]);
  equal(
    [
      await store.getNextSpanSequenceId(...pair(a)),
      await store.getNextSpanSequenceId(...pair(b)),
      await store.getManySpanSequenceIds([]),
    ],
    [4, 2, []],
  );
  await refuses(store.getManySpanSequenceIds([pair(a), ["ro-unknown", "at-x"]]), "rollout_not_found");
}

async function explicitMovesIt({ store }: CaseContext): Promise<void> {
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  equal((await store.addSpan(spanOf(attempt, { sequenceId: 100 })))?.sequenceId, 100);
  equal((await store.addSpan(spanOf(attempt, { sequenceId: 7 })))?.sequenceId, 7);
  equal(await store.getNextSpanSequenceId(rolloutId, attempt.attemptId), 101);
  const batch = [spanOf(attempt), spanOf(attempt, { sequenceId: 200 }), spanOf(attempt)];
  const numbers = (await store.addManySpans(batch)).map(({ sequenceId }) => sequenceId);
  holds(
    numbers[1] === 200 && new Set(numbers).size === 3,
    `three different numbers, the second 200: ${numbers.join()}`,
  );
  equal(await store.getNextSpanSequenceId(rolloutId, attempt.attemptId), Math.max(...numbers) + 1);
}

async function consecutiveAtOnce({ store }: CaseContext): Promise<void> {
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  const pair = [rolloutId, attempt.attemptId] as const;
  const [bulk] = await Promise.all([
    store.getManySpanSequenceIds([pair, pair]),
    ...Array.from({ length: 30 }, () => store.addSpan(spanOf(attempt))),
  ]);
  const given = (await store.querySpans(rolloutId)).items.map(({ sequenceId }) => sequenceId);
  equal(
    [...bulk, ...given].toSorted((a, b) => a - b),
    Array.from({ length: 32 }, (_, index) => index + 1),
  );
  equal(bulk[1], (bulk[0] ?? 0) + 1, "those of one call follow each other");
}

async function refusedTakesNone({ store }: CaseContext): Promise<void> {
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  await refuses(store.addSpan(spanOf({ rolloutId, attemptId: "at-x" })), "attempt_not_found");
  await refuses(store.addSpan(spanOf(attempt, { attributes: { call: () => 1 } as never })), "invalid_input");
  await refuses(store.addManySpans([spanOf(attempt), spanOf({ rolloutId, attemptId: "at-x" })]), "attempt_not_found");
  equal((await store.addSpan(spanOf(attempt)))?.sequenceId, 1);
}

async function inputOrder({ store }: CaseContext): Promise<void> {
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  for (let round = 0; round < 3; round += 1) {
    await store.addManySpans(Array.from({ length: 5 }, (_, index) => spanOf(attempt, { name: `${round}-${index}` })));
  }
  const { items } = await store.querySpans(rolloutId);
  equal(
    items.map(({ name, sequenceId }) => [name, sequenceId]),
    Array.from({ length: 15 }, (_, index) => [`${Math.floor(index / 5)}-${index % 5}`, index + 1]),
  );
}

export const sequenceNumbersCases: readonly ConformanceCase[] = casesOf("sequence numbers", [
  ["spans and callers take numbers of one counter per rollout, which counts on over attempts", oneCounter],
  ["numbers asked for in bulk come in input order, each rollout's by itself", inBulk],
  ["a span that brings a number keeps it, and the counter goes on after the highest", explicitMovesIt],
  ["numbers taken at once are consecutive, each given once", consecutiveAtOnce],
  ["a refused span takes no number", refusedTakesNone],
  ["spans of a batch are numbered in input order", inputOrder],
]);
