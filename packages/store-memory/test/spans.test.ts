import { expect, test } from "vitest";
import { claim, codeOf, openTestStore, span } from "./support.ts";

async function running() {
  const opened = openTestStore();
  await opened.store.enqueueRollout({ input: null });
  const { rolloutId, attempt } = await claim(opened.store);
  return { ...opened, rolloutId, attempt };
}

test("the first span sets attempt and rollout running and stamps the heartbeat; a later one stamps it again", async () => {
  const { store, runtime, rolloutId, attempt } = await running();
  await runtime.clock.advance(5);
  await store.addSpan(span(attempt));
  expect(await store.getRolloutById(rolloutId)).toMatchObject({
    status: "running",
    attempt: { status: "running", lastHeartbeatTimeMs: 1_000_005 },
  });
  await runtime.clock.advance(5);
  await store.addSpan(span(attempt));
  expect(await store.getLatestAttempt(rolloutId)).toMatchObject({ lastHeartbeatTimeMs: 1_000_010 });
});

test("numbers are consecutive within a rollout, whoever asks and however many at once", async () => {
  const { store, rolloutId, attempt } = await running();
  const [reserved] = await Promise.all([
    store.getManySpanSequenceIds([
      [rolloutId, attempt.attemptId],
      [rolloutId, "whichever"],
    ]),
    ...Array.from({ length: 30 }, () => store.addSpan(span(attempt))),
  ]);
  const given = (await store.querySpans(rolloutId)).items.map(({ sequenceId }) => sequenceId);
  expect([...reserved, ...given].toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 32 }, (_, index) => index + 1),
  );
  await store.addSpan(span(attempt, { sequenceId: 100 }));
  expect(await store.getNextSpanSequenceId(rolloutId, attempt.attemptId)).toBe(101);
  expect(await codeOf(store.getNextSpanSequenceId("ro-x", "at-x"))).toBe("rollout_not_found");
});

test("a batch over attempts and rollouts is numbered and given back in input order, duplicates left out", async () => {
  const { store, rolloutId, attempt } = await running();
  const { attempt: second } = await store.startAttempt(rolloutId);
  const other = await store.startRollout({ input: null });
  const [a, b, c, d] = [span(attempt), span(second), span(other.attempt), span(attempt)];
  await store.addSpan(c);
  const stored = await store.addManySpans([a, b, c, a, d]);
  expect(stored.map(({ spanId, sequenceId }) => [spanId, sequenceId])).toEqual([
    [a.spanId, 1],
    [b.spanId, 2],
    [d.spanId, 3],
  ]);
  expect(await store.addSpan(a)).toBeUndefined();
  expect(await store.addManySpans([])).toEqual([]);
});

test("a batch with one bad span stores none of it", async () => {
  const { store, rolloutId, attempt } = await running();
  const bad = span(attempt, { attributes: { when: new Date(0) } as never });
  expect(await codeOf(store.addManySpans([span(attempt), bad]))).toBe("invalid_input");
  expect(await codeOf(store.addManySpans([span(attempt), span({ rolloutId, attemptId: "at-x" })]))).toBe(
    "attempt_not_found",
  );
  expect(await codeOf(store.addManySpans([span(attempt), span({ rolloutId: "ro-x", attemptId: "at-x" })]))).toBe(
    "rollout_not_found",
  );
  expect((await store.querySpans(rolloutId)).total).toBe(0);
  expect(await store.getRolloutById(rolloutId)).toMatchObject({ status: "preparing" });
});

test("spans are sorted by number, not by text; ties by start, end and id; pages join up without gaps", async () => {
  const { store, rolloutId, attempt } = await running();
  const spans = Array.from({ length: 12 }, (_, index) => span(attempt, { sequenceId: 12 - index, name: `s${index}` }));
  await store.addManySpans(spans);
  await store.addManySpans([
    span(attempt, { sequenceId: 12, startTimeMs: 9, endTimeMs: 10 }),
    span(attempt, { sequenceId: 12, startTimeMs: 3, endTimeMs: 20 }),
    span(attempt, { sequenceId: 12, startTimeMs: 3, endTimeMs: 7 }),
  ]);
  const ascending = (await store.querySpans(rolloutId)).items;
  expect(ascending.map(({ sequenceId, startTimeMs, endTimeMs }) => [sequenceId, startTimeMs, endTimeMs])).toEqual([
    ...Array.from({ length: 12 }, (_, index) => [index + 1, undefined, undefined]),
    [12, 3, 7],
    [12, 3, 20],
    [12, 9, 10],
  ]);
  for (const sortOrder of ["asc", "desc"] as const) {
    const pages = await Promise.all(
      [0, 5, 10, 15].map((offset) =>
        store.querySpans(rolloutId, { sortBy: "sequenceId", sortOrder, limit: 5, offset }),
      ),
    );
    const joined = pages.flatMap(({ items }) => items);
    expect(joined).toEqual(sortOrder === "asc" ? ascending : ascending.toReversed());
  }
});

test("filters pool by and/or within the rollout and the attempt asked for", async () => {
  const { store, rolloutId, attempt } = await running();
  await store.addManySpans([
    span(attempt, { name: "plan", spanId: "a1", traceId: "t-1" }),
    span(attempt, { name: "act", spanId: "b2", traceId: "t-2", parentId: "a1" }),
  ]);
  const { attempt: second } = await store.startAttempt(rolloutId);
  await store.addSpan(span(second, { name: "plan", spanId: "c3", traceId: "t-3" }));
  const ids = async (query: Parameters<typeof store.querySpans>[1]) =>
    (await store.querySpans(rolloutId, query)).items.map(({ spanId }) => spanId);
  expect(await ids({ attemptId: "latest" })).toEqual(["c3"]);
  expect(await ids({ attemptId: attempt.attemptId, name: "plan" })).toEqual(["a1"]);
  expect(await ids({ attemptId: "at-x" })).toEqual([]);
  expect(await ids({ spanId: "b2", traceIdContains: "-3", filterLogic: "or" })).toEqual(["b2", "c3"]);
  expect(await ids({ filterLogic: "or" })).toEqual(["a1", "b2", "c3"]);
  expect(await ids({ parentIdContains: "a", nameContains: "c" })).toEqual(["b2"]);
  expect(await ids({ name: undefined, limit: 1, offset: 1 })).toEqual(["b2"]);
  expect((await store.querySpans("ro-x")).items).toEqual([]);
});
