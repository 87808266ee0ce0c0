export { createManualClock, type ManualClock } from "./manual-clock.ts";
export { createSeededRandom, createTestRuntime, type TestRuntime } from "./test-runtime.ts";
