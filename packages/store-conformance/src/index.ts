export { type Aspect, aspects } from "./case.ts";
export { describeStoreConformance } from "./describe.ts";
export type { OpenOptions, StoreFixture } from "./fixture.ts";
export { type CaseResult, type Certificate, certifyStore, type SuiteOptions } from "./suite.ts";
export { type FuzzOptions, type FuzzReport, fuzzStore } from "./fuzz.ts";
