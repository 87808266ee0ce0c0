import { splitDataset } from "@agentlightning/algorithm";
import { type Dataset, LightningError } from "@agentlightning/core";

/** Where the samples of one call come from: one dataset, or sets that are already apart. */
export interface FitOptions<T> {
  /** All samples. Not together with `trainDataset` or `valDataset`. */
  readonly dataset?: Dataset<T> | undefined;
  /** Share of `dataset` that is trained on; strictly between 0 and 1. @defaultValue all of it */
  readonly trainSplit?: number | undefined;
  /** Used as it is. */
  readonly trainDataset?: Dataset<T> | undefined;
  /** Used as it is. */
  readonly valDataset?: Dataset<T> | undefined;
  /** Ends the call: no new claims, agents get `graceMs`, the algorithm returns what it has. */
  readonly signal?: AbortSignal | undefined;
}

/** The sets that an algorithm is given. */
export interface TrainingData<T> {
  readonly trainDataset?: Dataset<T>;
  readonly valDataset?: Dataset<T>;
}

/**
 * Splits `dataset`, or takes the given sets as they are.
 *
 * @throws invalid_options for both forms at once, a split without a dataset, or a split outside (0, 1)
 */
export function resolveDatasets<T>(options: FitOptions<T>): TrainingData<T> {
  const { dataset, trainSplit, trainDataset, valDataset } = options;
  if (dataset !== undefined) {
    if (trainDataset !== undefined || valDataset !== undefined) {
      throw new LightningError({
        code: "invalid_options",
        message: "Give either `dataset`, or `trainDataset` and `valDataset`; not both forms.",
      });
    }
    return trainSplit === undefined ? { trainDataset: dataset } : splitDataset({ dataset, trainSplit });
  }
  if (trainSplit !== undefined) {
    throw new LightningError({
      code: "invalid_options",
      message: "`trainSplit` divides `dataset`; `trainDataset` and `valDataset` are used as they are.",
    });
  }
  return {
    ...(trainDataset === undefined ? {} : { trainDataset }),
    ...(valDataset === undefined ? {} : { valDataset }),
  };
}
