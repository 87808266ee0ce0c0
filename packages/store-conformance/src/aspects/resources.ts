import { enqueue } from "../arrange.ts";
import { type CaseContext, casesOf, type ConformanceCase } from "../case.ts";
import { equal, holds, matches, refuses } from "../check.ts";

function prompt(template: string) {
  return { main: { resourceType: "prompt_template" as const, template, engine: "f-string" as const } };
}

async function noneAtFirst({ store }: CaseContext): Promise<void> {
  equal(await store.getLatestResources(), undefined);
  equal(await store.getResourcesById("rs-unknown"), undefined);
  equal((await store.queryResources()).total, 0);
}

async function everyKind({ store }: CaseContext): Promise<void> {
  const resources = {
    ...prompt("Do {task}"),
    llm: {
      resourceType: "llm" as const,
      endpoint: "http://localhost:1/v1",
      model: "m",
      apiKey: "secret",
      samplingParameters: { temperature: 0.5, stop: ["\n"] },
    },
    proxy: {
      resourceType: "proxy_llm" as const,
      endpoint: "http://localhost:2/v1",
      model: "p",
      samplingParameters: {},
    },
  };
  const added = await store.addResources(resources);
  holds(added.resourcesId.startsWith("rs-"), `the id starts with rs-: ${added.resourcesId}`);
  matches(added, { version: 1, resources });
  equal(await store.getResourcesById(added.resourcesId), added);
  equal(await store.getLatestResources(), added);
}

async function latestIsTheLast({ store }: CaseContext): Promise<void> {
  const first = await store.addResources(prompt("one"));
  const second = await store.addResources(prompt("two"));
  holds(first.resourcesId !== second.resourcesId, "each has an id of its own");
  equal(await store.getLatestResources(), second);
  equal(await store.getResourcesById(first.resourcesId), first, "the older one stays readable");
  const updated = await store.updateResources(first.resourcesId, prompt("one again"));
  equal(await store.getLatestResources(), updated, "an update makes it the latest");
}

async function versions(context: CaseContext): Promise<void> {
  const { store } = context;
  const first = await store.updateResources("own", prompt("one"));
  await context.advance(context.unitMs);
  const second = await store.updateResources("own", prompt("two"));
  const third = await store.updateResources("own", {});
  equal([first.version, second.version, third.version], [1, 2, 3]);
  equal(second.createTimeMs, first.createTimeMs);
  holds(second.updateTimeMs > first.updateTimeMs, "the time of the update moves");
  equal((await store.addResources(prompt("other"))).version, 1, "versions count per id");
  equal(await store.getResourcesById("own"), third);
  equal((await store.queryResources()).total, 2);
}

async function guarded({ store }: CaseContext): Promise<void> {
  const made = await store.updateResources("own", prompt("one"), { expectedVersion: 0 });
  equal(made.version, 1);
  await refuses(store.updateResources("own", prompt("x"), { expectedVersion: 0 }), "conflict");
  await refuses(store.updateResources("own", prompt("x"), { expectedVersion: 2 }), "conflict");
  await refuses(store.updateResources("absent", prompt("x"), { expectedVersion: 1 }), "conflict");
  equal(await store.getResourcesById("own"), made);
  equal((await store.updateResources("own", prompt("two"), { expectedVersion: 1 })).version, 2);
}

async function concurrently({ store }: CaseContext): Promise<void> {
  const updates = await Promise.all(Array.from({ length: 50 }, () => store.updateResources("own", prompt("x"))));
  equal(
    updates.map(({ version }) => version).toSorted((a, b) => a - b),
    Array.from({ length: 50 }, (_, index) => index + 1),
  );
  await Promise.all(Array.from({ length: 50 }, (_, index) => store.updateResources(`of-${index}`, {})));
  equal((await store.queryResources()).total, 51);
  equal((await store.getResourcesById("own"))?.version, 50);
}

async function inheritedByRollouts({ store }: CaseContext): Promise<void> {
  const [before] = await enqueue(store, 1);
  equal(before?.resourcesId, undefined);
  const first = await store.addResources(prompt("one"));
  const [queued] = await enqueue(store, 1);
  equal(queued?.resourcesId, first.resourcesId);
  equal((await store.enqueueRollout({ input: 1, resourcesId: "rs-own" })).resourcesId, "rs-own");
  await store.updateResources("second", prompt("two"));
  equal((await store.startRollout({ input: 1 })).resourcesId, "second");
  equal(
    (await store.getRolloutById(queued?.rolloutId ?? ""))?.resourcesId,
    first.resourcesId,
    "what was queued keeps its",
  );
}

async function queried({ store }: CaseContext): Promise<void> {
  for (const id of ["b-one", "a-two", "a-one", "c.*"]) await store.updateResources(id, {});
  const ids = async (query: Parameters<typeof store.queryResources>[0]) =>
    (await store.queryResources(query)).items.map(({ resourcesId }) => resourcesId);
  equal(await ids({}), ["b-one", "a-two", "a-one", "c.*"]);
  equal(await ids({ resourcesIdContains: "one" }), ["b-one", "a-one"]);
  equal(await ids({ resourcesIdContains: ".*" }), ["c.*"], "a text, not a pattern");
  equal(await ids({ sortBy: "resourcesId", sortOrder: "desc", limit: 2, offset: 1 }), ["b-one", "a-two"]);
  equal(await ids({ offset: 9 }), []);
  matches(await store.queryResources({ limit: 0 }), { items: [], total: 4, limit: 0 });
}

async function wrongOnes({ store }: CaseContext): Promise<void> {
  await refuses(store.addResources(null as never), "invalid_input");
  await refuses(store.addResources(new Map([["main", {}]]) as never), "invalid_input");
  await refuses(store.addResources({ x: { resourceType: "y" } as never }), "invalid_input");
  await refuses(store.updateResources("", {}), "invalid_input");
  equal((await store.queryResources()).total, 0);
}

export const resourcesCases: readonly ConformanceCase[] = casesOf("resources", [
  ["before the first there are none, which is no error", noneAtFirst],
  ["every kind of resource comes back as it was stored", everyKind],
  ["the latest is what was added or updated last, and older ones stay readable", latestIsTheLast],
  ["an update keeps id and time of creation, and counts the version up", versions],
  ["an expected version guards an update", guarded],
  ["updates at once each get a version of their own", concurrently],
  ["a rollout takes the latest when it is made, and keeps it", inheritedByRollouts],
  ["resources are found by a part of their id, sorted and paged", queried],
  ["what is no resource is refused", wrongOnes],
]);
