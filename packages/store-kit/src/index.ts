export { createStore, type RetentionOptions, type StoreOptions } from "./create-store.ts";
export { acceptSpans, announcedChange, patchedWorker } from "./derive.ts";
export type {
  Awaitable,
  ClaimRequest,
  ClaimResult,
  DriverChange,
  DriverCounts,
  RecordChange,
  SpanBatch,
  SpanDraft,
  StoreDriver,
  WorkerPatch,
  WorkerWrite,
} from "./driver.ts";
export { selectResources, selectRollouts, selectSpans, selectWorkers } from "./select.ts";
export { defaultRolloutConfig } from "./validate.ts";
