import type { JsonValue } from "@agentlightning/core";
import { claim, drain, enqueueAndClaim, spanOf } from "../arrange.ts";
import { type CaseContext, casesOf, type ConformanceCase } from "../case.ts";
import { equal, holds, matches, refuses } from "../check.ts";

async function namespacesApart(context: CaseContext): Promise<void> {
  const { store } = context;
  const other = await context.open({ namespace: `other-${Math.floor(context.random() * 1e9)}` });
  const { rolloutId, attempt } = await enqueueAndClaim(
    store,
    { input: "mine", idempotencyKey: "k" },
    { workerId: "w" },
  );
  await store.addSpan(spanOf(attempt));
  await store.addResources({});
  await store.enqueueRollout({ input: "waits" });
  equal(await other.getRolloutById(rolloutId), undefined);
  equal(await other.dequeueRollout(), undefined);
  equal((await other.querySpans(rolloutId)).total, 0);
  equal(await other.getLatestResources(), undefined);
  equal(await other.getWorkerById("w"), undefined);
  matches(await other.statistics(), { totalRollouts: 0, totalSpans: 0, totalResources: 0, queuedRollouts: 0 });
  await refuses(other.addSpan(spanOf(attempt)), "rollout_not_found");
  const twin = await other.enqueueRollout({ input: "theirs", idempotencyKey: "k" });
  matches(twin, { input: "theirs" }, "a key belongs to its namespace");
  equal(await drain(store), ["waits"]);
  equal(await drain(other), ["theirs"]);
}

/** What a caller does with what it gave, or was given, is its own affair. */
async function noAliases({ store }: CaseContext): Promise<void> {
  const input = { list: [1, { deep: true }] };
  const metadata = { tags: ["a"] };
  const made = await store.enqueueRollout({ input, metadata });
  input.list.push(2);
  metadata.tags.push("b");
  attack(made);
  const claimed = await claim(store);
  attack(claimed);
  const span = { ...spanOf(claimed.attempt), attributes: { list: ["a"] } };
  const stored = await store.addSpan(span);
  span.attributes.list.push("b");
  attack(stored);
  attack((await store.querySpans(made.rolloutId)).items[0]);
  matches(await store.getRolloutById(made.rolloutId), {
    input: { list: [1, { deep: true }] },
    metadata: { tags: ["a"] },
  });
  matches((await store.querySpans(made.rolloutId)).items, [{ attributes: { list: ["a"] } }]);
  const stats = { load: [1] };
  await store.updateWorker("w", { heartbeatStats: stats });
  stats.load.push(2);
  matches(await store.getWorkerById("w"), { heartbeatStats: { load: [1] } });
}

/** Writes into a record and its direct fields, which refuse since they are frozen. */
function attack(record: object | undefined): void {
  for (const part of [record, ...Object.values(record ?? {})] as readonly unknown[]) {
    if (typeof part === "object" && part !== null) Reflect.set(part, "attacked", "by a caller");
  }
}

async function frozen({ store }: CaseContext): Promise<void> {
  const rollout = await enqueueAndClaim(store, { metadata: { by: "me" } }, { workerId: "w" });
  const span = await store.addSpan(spanOf(rollout.attempt));
  const records: Readonly<Record<string, unknown>> = {
    rollout,
    "its config": rollout.config,
    attempt: rollout.attempt,
    "a read rollout": await store.getRolloutById(rollout.rolloutId),
    span,
    resources: await store.addResources({}),
    worker: await store.getWorkerById("w"),
  };
  for (const [name, record] of Object.entries(records)) holds(Object.isFrozen(record), `${name} is frozen`);
}

async function exactValues({ store }: CaseContext): Promise<void> {
  const input: JsonValue = JSON.parse(
    '{"__proto__": {"polluted": true}, "constructor": 1, "a.b": 2, "$c": 3, "": 4, "hasOwnProperty": null}',
  ) as JsonValue;
  const values = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 1e308, 5e-324, 0.1 + 0.2];
  const texts = ["", "\u0000", "a\u0000b", "\ud800", "ключ 🔑", "'; DROP TABLE", "line\r\n\u2028"];
  const { rolloutId } = await store.enqueueRollout({ input: { input, values, texts }, metadata: { at: -0 } });
  const read = await store.getRolloutById(rolloutId);
  const stored = read?.input as { input: object; values: number[]; texts: string[] };
  equal([stored.values, stored.texts], [values, texts]);
  holds(Object.is(stored.values[3], -0) && Object.is(read?.metadata["at"], -0), "negative zero stays negative");
  equal(Object.keys(stored.input), ["__proto__", "constructor", "a.b", "$c", "", "hasOwnProperty"]);
  equal(({} as { polluted?: unknown }).polluted, undefined);
  matches((await store.dequeueRollout())?.input, { values, texts });
}

class Custom {
  readonly field = 1;
}

async function noJson({ store }: CaseContext): Promise<void> {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  let deep: unknown = 1;
  for (let level = 0; level < 300; level += 1) deep = [deep];
  const wrong: readonly (readonly [unknown, string])[] = [
    [{ list: [1, undefined] }, "input.list[1]"],
    [{ list: Object.assign([], { length: 2 }) }, "input.list[0]"],
    [{ call: () => 1 }, "input.call"],
    [{ mark: Symbol("x") }, "input.mark"],
    [{ big: 1n }, "input.big"],
    [{ when: new Date(Number.NaN) }, "input.when"],
    [{ map: new Map() }, "input.map"],
    [{ bytes: new Uint8Array(2) }, "input.bytes"],
    [{ nested: { custom: new Custom() } }, "input.nested.custom"],
    [cycle, "input.self"],
    [deep, "input[0][0]"],
    [undefined, "input"],
  ];
  for (const [input, path] of wrong) {
    const error = await refuses(store.enqueueRollout({ input: input as never }), "invalid_input");
    holds(error.message.includes(path), `the message names ${path}: ${error.message}`);
  }
  matches(await store.statistics(), { totalRollouts: 0 });
  const { input } = await store.enqueueRollout({ input: { a: undefined, b: 1 } as never });
  equal(Object.keys(input as object), ["b"], "a property that is undefined is left out");
}

export const isolationCases: readonly ConformanceCase[] = casesOf("isolation", [
  ["namespaces see nothing of each other", namespacesApart, ["many handles"]],
  ["neither side sees the other's later changes", noAliases],
  ["records that come out are frozen", frozen],
  ["numbers that JSON text cannot hold, dangerous keys and strange texts come back as they went in", exactValues],
  ["what is no JSON is refused, naming its path, and nothing is stored", noJson],
]);
