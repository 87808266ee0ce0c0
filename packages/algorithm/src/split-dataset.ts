import { type Dataset, iterateDataset, LightningError } from "@agentlightning/core";

/** A dataset in two parts. */
export interface SplitDataset<T> {
  readonly trainDataset: AsyncIterable<T>;
  readonly valDataset: AsyncIterable<T>;
}

/** @throws invalid_options unless strictly between 0 and 1 */
export function checkTrainSplit(trainSplit: number): number {
  if (typeof trainSplit === "number" && trainSplit > 0 && trainSplit < 1) return trainSplit;
  throw new LightningError({
    code: "invalid_options",
    message: `trainSplit must lie strictly between 0 and 1, got ${String(trainSplit)}`,
  });
}

/** Whether sample `index` is one to train on: the train share is spread evenly, and no length is needed. */
export function isTrainIndex(index: number, trainSplit: number): boolean {
  return Math.floor((index + 1) * trainSplit) > Math.floor(index * trainSplit);
}

/** An iterator can be read once only; both parts then share one reading, which keeps what the other part has yet to read. */
function isOneShot<T>(dataset: Dataset<T>): boolean {
  if (Symbol.asyncIterator in dataset) return Object.is(dataset[Symbol.asyncIterator](), dataset);
  return Symbol.iterator in dataset && Object.is(dataset[Symbol.iterator](), dataset);
}

async function* part<T>(
  dataset: Dataset<T>,
  trainSplit: number,
  wantsTrain: boolean,
): AsyncGenerator<T, void, undefined> {
  let index = 0;
  for await (const sample of iterateDataset(dataset)) {
    if (isTrainIndex(index, trainSplit) === wantsTrain) yield sample;
    index += 1;
  }
}

function splitOneShot<T>(dataset: Dataset<T>, trainSplit: number): SplitDataset<T> {
  const source = iterateDataset(dataset);
  const kept = { train: [] as T[], val: [] as T[] };
  let index = 0;
  async function* read(own: "train" | "val"): AsyncGenerator<T, void, undefined> {
    for (;;) {
      if (kept[own].length > 0) {
        yield kept[own].shift() as T;
        continue;
      }
      const next = await source.next();
      if (next.done === true) {
        if (kept[own].length === 0) return;
        continue;
      }
      kept[isTrainIndex(index, trainSplit) ? "train" : "val"].push(next.value);
      index += 1;
    }
  }
  return { trainDataset: read("train"), valDataset: read("val") };
}

/**
 * Splits one dataset by index, evenly spread: sample i is for training when ⌊(i+1)·s⌋ > ⌊i·s⌋. Needs no length.
 *
 * @throws invalid_options unless `trainSplit` lies strictly between 0 and 1
 */
export function splitDataset<T>(options: {
  readonly dataset: Dataset<T>;
  readonly trainSplit: number;
}): SplitDataset<T> {
  const trainSplit = checkTrainSplit(options.trainSplit);
  const { dataset } = options;
  if (isOneShot(dataset)) return splitOneShot(dataset, trainSplit);
  return {
    trainDataset: { [Symbol.asyncIterator]: () => part(dataset, trainSplit, true) },
    valDataset: { [Symbol.asyncIterator]: () => part(dataset, trainSplit, false) },
  };
}
