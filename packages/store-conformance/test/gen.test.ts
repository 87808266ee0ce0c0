import { writeFileSync } from "node:fs";
import { test } from "vitest";
import { aspects, certifyStore } from "../src/index.ts";
import { brokenDriver, brokenDrivers, namelessDriver } from "./broken/drivers.ts";
import { brokenStore, brokenStores } from "./broken/stores.ts";
test("gen", { timeout: 600_000 }, async () => {
  const fixtures = [
    ...Object.entries(brokenDrivers).map(([name, breaking]) => brokenDriver(name, breaking)),
    ...Object.entries(brokenStores).map(([name, breaking]) => brokenStore(name, breaking)),
    namelessDriver("sees through namespaces"),
  ];
  const out: Record<string, unknown> = {};
  for (const fixture of fixtures) {
    const started = performance.now();
    const { results } = await certifyStore(fixture, {
      aspects: aspects.filter((a) => a !== "model"),
      caseLimitMs: 1_500,
      seed: 1,
    });
    out[fixture.name] = results.filter(({ outcome }) => outcome === "failed").map(({ name }) => name);
    console.log(Math.round(performance.now() - started), fixture.name, (out[fixture.name] as []).length);
  }
  writeFileSync("/tmp/noticed.json", JSON.stringify(out, null, 2));
});
