export { createStore, type StoreOptions } from "./create-store.ts";
export type {
  Awaitable,
  DriverChange,
  DriverCounts,
  RecordLookup,
  SpanBatch,
  SpanDraft,
  StoreDriver,
  WorkerPatch,
} from "./driver.ts";
export { compareValues, pool, selectPage } from "./select-page.ts";
export { defaultRolloutConfig } from "./validate.ts";
