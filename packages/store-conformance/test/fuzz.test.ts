import { openMemoryStore } from "@agentlightning/store-memory";
import { expect, test } from "vitest";
import { fuzzStore } from "../src/index.ts";

const calls = Number(process.env["FUZZ_CALLS"] ?? 20_000);
const seed = Number(process.env["FUZZ_SEED"] ?? 1);
/** A store that keeps everything makes its queries slow; beyond this many calls another one begins. */
const callsPerStore = 50_000;

test(`${calls} calls of any kind are answered or refused, and the memory store stays consistent`, async () => {
  for (let made = 0; made < calls; made += callsPerStore) {
    await using store = openMemoryStore();
    const report = await fuzzStore(store, {
      calls: Math.min(callsPerStore, calls - made),
      seed: seed + made / callsPerStore,
    });
    expect(report.results).toBeGreaterThan(0);
  }
}, 3_600_000);
