import type { Dataset, IndexedDataset } from "./dataset.ts";
import { InvalidInputError } from "./errors.ts";

function isIndexed<T>(dataset: Dataset<T>): dataset is IndexedDataset<T> {
  return (
    "length" in dataset && typeof dataset.length === "number" && "at" in dataset && typeof dataset.at === "function"
  );
}

/** Number of samples where it is known without reading them. */
export function datasetLength(dataset: Dataset<unknown>): number | undefined {
  return isIndexed(dataset) ? dataset.length : undefined;
}

/** Reads any dataset sample by sample, in order, asking for the next one only when it is wanted. @throws invalid_input for what is no dataset */
export async function* iterateDataset<T>(dataset: Dataset<T>): AsyncGenerator<T, void, undefined> {
  if (typeof dataset !== "object" || dataset === null) {
    throw new InvalidInputError({
      message: `a dataset is an array, an indexed object, an iterable or an async iterable; got ${typeof dataset}`,
    });
  }
  if (Symbol.asyncIterator in dataset || Symbol.iterator in dataset) {
    yield* dataset as AsyncIterable<T> | Iterable<T>;
    return;
  }
  if (!isIndexed(dataset)) {
    throw new InvalidInputError({ message: "a dataset object needs `length` and `at(index)`, or an iterator" });
  }
  for (let index = 0; index < dataset.length; index += 1) yield (await dataset.at(index)) as T;
}

/** All samples of a dataset in an array. */
export async function toArray<T>(dataset: Dataset<T>): Promise<T[]> {
  const samples: T[] = [];
  for await (const sample of iterateDataset(dataset)) samples.push(sample);
  return samples;
}
