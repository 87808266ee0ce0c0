import type { SpanQuery } from "@agentlightning/core";
import { enqueueAndClaim, spanOf } from "../arrange.ts";
import { type CaseContext, casesOf, type ConformanceCase } from "../case.ts";
import { equal, holds, matches, refuses } from "../check.ts";

async function comesBack({ store }: CaseContext): Promise<void> {
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  const span = spanOf(attempt, {
    traceId: "a".repeat(32),
    parentId: "b".repeat(16),
    name: "llm call",
    status: { statusCode: "ERROR", description: "quota" },
    attributes: { text: "ключ 🔑", count: 3, ratio: -0, list: ["a", "b"], isOn: true, "a.b": 1 },
    events: [{ name: "token", attributes: { n: 1 }, timestampMs: 1_700_000_000_000.125 }],
    links: [
      {
        context: { traceId: "c".repeat(32), spanId: "d".repeat(16), isRemote: false, traceState: { vendor: "1" } },
        attributes: { of: "x" },
      },
    ],
    resource: { attributes: { "service.name": "agent" }, schemaUrl: "https://example.com/schema" },
    startTimeMs: 1_700_000_000_000.001,
    endTimeMs: 1_700_000_000_001.5,
  });
  const stored = await store.addSpan(span);
  matches(stored, { ...span, sequenceId: 1 });
  const { items } = await store.querySpans(rolloutId);
  equal(items, [stored]);
  holds(Object.is(items[0]?.attributes["ratio"], -0), "negative zero stays negative");
}

async function firstSetsRunning(context: CaseContext): Promise<void> {
  const { store, unitMs } = context;
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  await store.addSpan(spanOf(attempt));
  const first = await store.getRolloutById(rolloutId);
  matches(first, { status: "running", attempt: { status: "running" } });
  await context.advance(unitMs);
  await store.addSpan(spanOf(attempt));
  const [before, after] = [
    first?.attempt?.lastHeartbeatTimeMs,
    (await store.getLatestAttempt(rolloutId))?.lastHeartbeatTimeMs,
  ];
  holds(before !== undefined && after !== undefined && after > before, "each span stamps the heartbeat");
}

async function inBatches({ store }: CaseContext): Promise<void> {
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  const { attempt: second } = await store.startAttempt(rolloutId);
  const other = await store.startRollout({ input: null });
  const [a, b, c, d] = [spanOf(attempt), spanOf(second), spanOf(other.attempt), spanOf(attempt)];
  await store.addSpan(c);
  equal(
    (await store.addManySpans([a, b, c, a, d])).map(({ spanId, sequenceId }) => [spanId, sequenceId]),
    [
      [a.spanId, 1],
      [b.spanId, 2],
      [d.spanId, 3],
    ],
  );
  equal(await store.addManySpans([]), []);
  equal([(await store.querySpans(rolloutId)).total, (await store.querySpans(other.rolloutId)).total], [3, 1]);
  equal((await store.statistics()).totalSpans, 4);
}

async function wholeOrNot({ store }: CaseContext): Promise<void> {
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  const bad = spanOf(attempt, { attributes: { when: new Date(0) } as never });
  await refuses(store.addManySpans([spanOf(attempt), bad]), "invalid_input");
  await refuses(store.addManySpans([spanOf(attempt), spanOf({ rolloutId, attemptId: "at-x" })]), "attempt_not_found");
  const elsewhere = spanOf({ rolloutId: "ro-x", attemptId: "at-x" });
  await refuses(store.addManySpans([spanOf(attempt), elsewhere]), "rollout_not_found");
  equal((await store.querySpans(rolloutId)).total, 0);
  matches(await store.getRolloutById(rolloutId), { status: "preparing", attempt: { lastHeartbeatTimeMs: undefined } });
  matches(await store.addSpan(spanOf(attempt)), { sequenceId: 1 });
}

async function sameIdElsewhere({ store }: CaseContext): Promise<void> {
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  const { attempt: second } = await store.startAttempt(rolloutId);
  const other = await store.startRollout({ input: null });
  const spanId = "e".repeat(16);
  for (const owner of [attempt, second, other.attempt])
    holds((await store.addSpan(spanOf(owner, { spanId }))) !== undefined, "kept");
  equal((await store.querySpans(rolloutId)).total, 2);
}

async function numbersNotText({ store }: CaseContext): Promise<void> {
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  await store.addManySpans(Array.from({ length: 12 }, (_, index) => spanOf(attempt, { sequenceId: 12 - index })));
  await store.addManySpans([
    spanOf(attempt, { sequenceId: 12, startTimeMs: 9, endTimeMs: 10 }),
    spanOf(attempt, { sequenceId: 12, startTimeMs: 3, endTimeMs: 20, spanId: "b2" }),
    spanOf(attempt, { sequenceId: 12, startTimeMs: 3, endTimeMs: 20, spanId: "a1" }),
    spanOf(attempt, { sequenceId: 12, startTimeMs: 3, endTimeMs: 7 }),
  ]);
  const ascending = (await store.querySpans(rolloutId)).items;
  equal(
    ascending.map(({ sequenceId, startTimeMs, endTimeMs }) => [sequenceId, startTimeMs, endTimeMs]),
    [
      ...Array.from({ length: 12 }, (_, index) => [index + 1, undefined, undefined]),
      [12, 3, 7],
      [12, 3, 20],
      [12, 3, 20],
      [12, 9, 10],
    ],
  );
  equal(
    ascending.slice(13, 15).map(({ spanId }) => spanId),
    ["a1", "b2"],
  );
  for (const sortOrder of ["asc", "desc"] as const) {
    const joined: unknown[] = [];
    for (let offset = 0; offset < 20; offset += 5) {
      const page = await store.querySpans(rolloutId, { sortBy: "sequenceId", sortOrder, limit: 5, offset });
      matches(page, { total: 16, limit: 5, offset });
      joined.push(...page);
    }
    equal(joined, sortOrder === "asc" ? ascending : ascending.toReversed());
  }
}

async function filtered({ store }: CaseContext): Promise<void> {
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  await store.addManySpans([
    spanOf(attempt, { name: "plan", spanId: "a1", traceId: "t-1" }),
    spanOf(attempt, { name: "act", spanId: "b2", traceId: "t-2", parentId: "a1" }),
  ]);
  const { attempt: second } = await store.startAttempt(rolloutId);
  await store.addSpan(spanOf(second, { name: "plan", spanId: "c3", traceId: "t-3" }));
  const other = await store.startRollout({ input: null });
  await store.addSpan(spanOf(other.attempt, { name: "plan", spanId: "d4", traceId: "t-3" }));
  const expected: readonly (readonly [SpanQuery, readonly string[]])[] = [
    [{ attemptId: "latest" }, ["c3"]],
    [{ attemptId: attempt.attemptId, name: "plan" }, ["a1"]],
    [{ attemptId: "at-x" }, []],
    [{ traceId: "t-2" }, ["b2"]],
    [{ spanId: "b2", traceIdContains: "-3", filterLogic: "or" }, ["b2", "c3"]],
    [{ filterLogic: "or" }, ["a1", "b2", "c3"]],
    [{ parentIdContains: "a", nameContains: "c" }, ["b2"]],
    [{ parentId: "a1" }, ["b2"]],
    [{ nameContains: "plan", limit: 1, offset: 1 }, ["c3"]],
    [
      { name: "plan", spanIdContains: "2", filterLogic: "or", sortBy: "spanId", sortOrder: "desc", offset: 1 },
      ["b2", "a1"],
    ],
    [{ name: undefined, limit: 1, offset: 1 }, ["b2"]],
    [{ nameContains: ".*" }, []],
    [{ limit: 0 }, []],
  ];
  for (const [query, ids] of expected) {
    const { items } = await store.querySpans(rolloutId, query);
    equal(
      items.map(({ spanId }) => spanId),
      ids,
      JSON.stringify(query),
    );
  }
  for (const attemptId of [undefined, "at-x", "latest"]) {
    equal((await store.querySpans("ro-unknown", { attemptId })).total, 0);
  }
  const empty = await store.enqueueRollout({ input: null });
  equal((await store.querySpans(empty.rolloutId, { attemptId: "latest" })).total, 0);
}

async function unknownOwners({ store }: CaseContext): Promise<void> {
  const { rolloutId } = await store.enqueueRollout({ input: null });
  await refuses(store.addSpan(spanOf({ rolloutId: "ro-x", attemptId: "at-x" })), "rollout_not_found");
  await refuses(store.addSpan(spanOf({ rolloutId, attemptId: "at-x" })), "attempt_not_found");
  equal((await store.statistics()).totalSpans, 0);
}

async function largeBatch({ store }: CaseContext): Promise<void> {
  const { rolloutId, attempt } = await enqueueAndClaim(store);
  const spans = Array.from({ length: 2_500 }, (_, index) => spanOf(attempt, { name: `s${index}` }));
  const stored = await store.addManySpans(spans);
  equal(stored.length, 2_500);
  equal(stored.at(-1)?.name, "s2499");
  const { items, total } = await store.querySpans(rolloutId, { offset: 2_499 });
  equal([total, items.map(({ name, sequenceId }) => [name, sequenceId])], [2_500, [["s2499", 2_500]]]);
}

export const spansCases: readonly ConformanceCase[] = casesOf("spans", [
  ["a span comes back as it was stored, every field", comesBack],
  ["the first span sets attempt and rollout running; each stamps the heartbeat", firstSetsRunning],
  ["a batch over attempts and rollouts is given back in input order, duplicates left out", inBatches],
  ["a batch with one bad span stores none of it", wholeOrNot],
  ["one span id in two attempts or rollouts is two spans", sameIdElsewhere],
  ["spans are sorted by number, not by text; ties by start, end and id; pages join up", numbersNotText],
  ["span filters pool by and/or within the rollout and the attempt asked for", filtered],
  ["a span of something unknown is refused, and it says of what", unknownOwners],
  ["a batch of thousands of spans is stored to the last", largeBatch],
]);
