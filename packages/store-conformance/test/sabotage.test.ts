import { expect, test } from "vitest";
import { aspects, certifyStore, type StoreFixture } from "../src/index.ts";
import { brokenDriver, brokenDrivers, namelessDriver } from "./broken/drivers.ts";
import { noticedBy } from "./broken/noticed-by.ts";
import { brokenStore, brokenStores } from "./broken/stores.ts";

const fixtures: readonly StoreFixture[] = [
  ...Object.entries(brokenDrivers).map(([name, breaking]) => brokenDriver(name, breaking)),
  ...Object.entries(brokenStores).map(([name, breaking]) => brokenStore(name, breaking)),
  namelessDriver("sees through namespaces"),
];

test("the broken stores and what notices them are one list", () => {
  expect(fixtures.map(({ name }) => name).toSorted()).toEqual(Object.keys(noticedBy).toSorted());
});

// Random histories notice most of these too, but when they do depends on the seed.
const certain = aspects.filter((aspect) => aspect !== "model");

test.for(fixtures)("a store that $name fails the cases named for it, and no others", async (fixture) => {
  const { results } = await certifyStore(fixture, { aspects: certain, caseLimitMs: 1_500, seed: 1 });
  const failed = results.filter(({ outcome }) => outcome === "failed").map(({ name }) => name);
  expect(failed).toEqual(noticedBy[fixture.name]);
});
