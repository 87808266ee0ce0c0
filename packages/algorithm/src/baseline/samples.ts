import { type Dataset, iterateDataset } from "@agentlightning/core";

/** A task and the part of the data it is from. */
export interface Sample<T> {
  readonly task: T;
  readonly mode: "train" | "val";
}

/** The samples of all epochs, train before val in each, read one by one as they are wanted. */
export async function* samplesOf<T>(
  trainDataset: Dataset<T> | undefined,
  valDataset: Dataset<T> | undefined,
  epochs: number,
): AsyncGenerator<Sample<T>, void, undefined> {
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    if (trainDataset !== undefined)
      for await (const task of iterateDataset(trainDataset)) yield { task, mode: "train" };
    if (valDataset !== undefined) for await (const task of iterateDataset(valDataset)) yield { task, mode: "val" };
  }
}
