export { Algorithm, type AlgorithmBindings, type AlgorithmContext, FastAlgorithm } from "./algorithm.ts";
export { Baseline } from "./baseline/baseline.ts";
export type { BaselineOptions, BaselineProgress, SpanVerbosity } from "./baseline/options.ts";
export {
  type BaselineOutcome,
  BaselineReport,
  type BaselineReportData,
  type DurationStatistics,
  type ErrorCount,
  type RewardStatistics,
  type SplitReport,
} from "./baseline/report.ts";
export { batchIterOverDataset } from "./batch-iter.ts";
export { type AlgorithmFunction, defineAlgorithm } from "./define-algorithm.ts";
export { type SplitDataset, splitDataset } from "./split-dataset.ts";
export { type HasLlmProxy, type HasStore, withLlmProxy, withStore, type WithLlmProxyOptions } from "./with-store.ts";
