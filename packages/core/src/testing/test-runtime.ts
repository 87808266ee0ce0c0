import type { Runtime } from "../clock.ts";
import { createIdGenerator } from "../id.ts";
import { createManualClock, type ManualClock } from "./manual-clock.ts";

/** A runtime whose time, randomness and ids are a test's own. */
export interface TestRuntime extends Runtime {
  readonly clock: ManualClock;
}

/** A small seeded generator (mulberry32): the same seed gives the same numbers in [0, 1). */
export function createSeededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @param options - `seed` decides ids and randomness, `startMs` the time. */
export function createTestRuntime(options: { readonly seed?: number; readonly startMs?: number } = {}): TestRuntime {
  const random = createSeededRandom(options.seed ?? 1);
  return {
    clock: createManualClock(options.startMs),
    random,
    ids: createIdGenerator((count) => Uint8Array.from({ length: count }, () => Math.floor(random() * 256))),
  };
}
