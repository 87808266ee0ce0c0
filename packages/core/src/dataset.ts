/** Anything with a length and numbered samples. */
export interface IndexedDataset<T> {
  readonly length: number;
  at(index: number): T | undefined | Promise<T | undefined>;
}

/** Where tasks come from: an array, any indexed object, an iterable, or an async iterable of any length. */
export type Dataset<T> = readonly T[] | IndexedDataset<T> | Iterable<T> | AsyncIterable<T>;
