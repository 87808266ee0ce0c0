import type { AttemptSort, PageQuery, RolloutQuery } from "@agentlightning/core";
import { claim, enqueue } from "../arrange.ts";
import { type CaseContext, casesOf, type ConformanceCase } from "../case.ts";
import { equal, matches } from "../check.ts";

async function conditions({ store }: CaseContext): Promise<void> {
  const [a, b, c] = (await enqueue(store, 3)).map(({ rolloutId }) => rolloutId);
  await store.updateRollout(b ?? "", { status: "failed" });
  const both = [a ?? "", b ?? "", "ro-unknown"];
  const expected: readonly (readonly [RolloutQuery, readonly number[]])[] = [
    [{}, [0, 1, 2]],
    [{ statusIn: ["queuing"] }, [0, 2]],
    [{ statusIn: ["queuing", "failed"] }, [0, 1, 2]],
    [{ statusIn: [] }, []],
    [{ statusIn: undefined, rolloutIdIn: undefined }, [0, 1, 2]],
    [{ rolloutIdIn: both }, [0, 1]],
    [{ rolloutIdIn: ["ro-unknown"] }, []],
    [{ rolloutIdIn: [] }, []],
    [{ statusIn: ["queuing"], rolloutIdIn: both }, [0]],
    [{ statusIn: ["queuing"], rolloutIdIn: both, filterLogic: "or" }, [0, 1, 2]],
    [{ rolloutIdContains: c?.slice(4) }, [2]],
    [{ rolloutIdContains: c?.slice(4), statusIn: ["failed"] }, []],
    [{ rolloutIdContains: c?.slice(4), statusIn: ["failed"], filterLogic: "or" }, [1, 2]],
    [{ rolloutIdContains: "^ro-" }, []],
    [{ limit: 1, offset: 1 }, [1]],
    [{ limit: 0 }, []],
    [{ limit: -1 }, [0, 1, 2]],
    [{ offset: 3 }, []],
  ];
  for (const [query, inputs] of expected) {
    const { items } = await store.queryRollouts(query);
    equal(
      items.map(({ input }) => input),
      inputs,
      JSON.stringify(query),
    );
  }
}

async function sortedById({ store }: CaseContext): Promise<void> {
  const ids = (await enqueue(store, 6)).map(({ rolloutId }) => rolloutId);
  const sorted = ids.toSorted();
  const page = await store.queryRollouts({ sortBy: "rolloutId", sortOrder: "desc", limit: 2 });
  matches(page, { total: 6, limit: 2, offset: 0 });
  const pick = (query: RolloutQuery) =>
    store.queryRollouts(query).then(({ items }) => items.map(({ rolloutId }) => rolloutId));
  equal(
    page.items.map(({ rolloutId }) => rolloutId),
    sorted.toReversed().slice(0, 2),
  );
  equal(await pick({ sortBy: "rolloutId", limit: 1, offset: 1 }), sorted.slice(1, 2));
  const union: RolloutQuery = { rolloutIdIn: sorted.slice(0, 3), rolloutIdContains: sorted[4], filterLogic: "or" };
  equal(await pick({ ...union, sortBy: "rolloutId", limit: 2, offset: 2 }), [sorted[2], sorted[4]]);
}

async function pagesJoinUp({ store }: CaseContext): Promise<void> {
  const count = 200;
  await store.enqueueManyRollouts(Array.from({ length: count }, (_, input) => ({ input })));
  for (const status of ["succeeded", "failed"] as const) {
    const { rolloutId } = await claim(store);
    await store.updateRollout(rolloutId, { status });
  }
  for (const sortBy of ["startTimeMs", "endTimeMs", "status", "rolloutId", undefined] as const) {
    for (const sortOrder of ["asc", "desc"] as const) {
      const whole = (await store.queryRollouts({ sortBy, sortOrder })).items.map(({ input }) => input);
      const joined: unknown[] = [];
      for (let offset = 0; offset < count; offset += 7) {
        const page = await store.queryRollouts({ sortBy, sortOrder, limit: 7, offset });
        matches(page, { total: count, limit: 7, offset });
        joined.push(...[...page].map(({ input }) => input));
      }
      equal(joined, whole, `pages by ${sortBy} ${sortOrder} join up to the whole`);
      equal(new Set(joined).size, count, "no rollout twice");
    }
  }
}

async function pagesWhileMoreCome({ store }: CaseContext): Promise<void> {
  await enqueue(store, 30);
  const seen: unknown[] = [];
  for (let offset = 0; offset < 30; offset += 10) {
    const { items } = await store.queryRollouts({ limit: 10, offset });
    seen.push(...items.map(({ input }) => input));
    await store.enqueueRollout({ input: "more" });
  }
  equal(
    seen,
    Array.from({ length: 30 }, (_, index) => index),
    "what comes later does not shift what was there",
  );
}

async function attempts({ store }: CaseContext): Promise<void> {
  const { rolloutId } = await store.startRollout({ input: null });
  await store.startAttempt(rolloutId);
  await store.startAttempt(rolloutId);
  const numbers = async (query: PageQuery<AttemptSort>) =>
    (await store.queryAttempts(rolloutId, query)).items.map(({ sequenceId }) => sequenceId);
  equal(await numbers({}), [1, 2, 3]);
  equal(await numbers({ sortBy: "sequenceId", sortOrder: "desc" }), [3, 2, 1]);
  equal(await numbers({ limit: 1, offset: 1 }), [2]);
  equal(await numbers({ offset: 10 }), []);
  equal(await numbers({ limit: 0 }), []);
  matches(await store.queryAttempts(rolloutId, { limit: 0 }), { total: 3, limit: 0, offset: 0 });
}

async function countsOfEachKind({ store }: CaseContext): Promise<void> {
  const before = await store.statistics();
  matches(before, { totalRollouts: 0, totalAttempts: 0, totalSpans: 0, totalResources: 0, totalWorkers: 0 });
  await store.enqueueRollout({ input: null });
  matches(await store.statistics(), { totalRollouts: 1, queuedRollouts: 1, totalAttempts: 0 });
  const { rolloutId, attempt } = await claim(store, { workerId: "w" });
  matches(await store.statistics(), { totalAttempts: 1, queuedRollouts: 0, totalWorkers: 1 });
  await store.addResources({});
  await store.addManySpans([]);
  await store.reportAttempt(rolloutId, attempt.attemptId, { status: "failed" });
  matches(await store.statistics(), {
    totalRollouts: 1,
    totalAttempts: 1,
    totalSpans: 0,
    totalResources: 1,
    totalWorkers: 1,
    queuedRollouts: 0,
  });
}

async function unknownIsNothing({ store }: CaseContext): Promise<void> {
  equal(await store.getRolloutById("ro-unknown"), undefined);
  equal((await store.queryRollouts({ rolloutIdIn: ["ro-unknown"] })).items, []);
  matches(await store.queryRollouts(), { items: [], total: 0, offset: 0 });
}

export const queriesCases: readonly ConformanceCase[] = casesOf("queries", [
  ["conditions narrow with and, widen with or; an empty list matches nothing, undefined asks nothing", conditions],
  ["rollouts are sorted by id and cut into pages after sorting, unions too", sortedById],
  ["pages join up to the whole, whatever they are sorted by, ties and missing values included", pagesJoinUp],
  ["pages in the order of creation are not shifted by what comes later", pagesWhileMoreCome],
  ["attempts are listed by number, either way, in pages", attempts],
  ["statistics count each kind exactly", countsOfEachKind],
  ["what does not exist is undefined or an empty page", unknownIsNothing],
]);
