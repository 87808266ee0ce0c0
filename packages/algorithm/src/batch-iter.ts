import { type Dataset, LightningError, type Runtime, systemRuntime, toArray } from "@agentlightning/core";

function shuffled<T>(samples: readonly T[], random: () => number): T[] {
  const order = [...samples];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other] as T, order[last] as T];
  }
  return order;
}

/**
 * Batches without end, in an order shuffled anew for each pass. A batch at least as large as the dataset is a whole
 * pass; else a last, smaller batch ends each pass.
 *
 * @throws invalid_options for a batch size below 1, empty_dataset
 */
export async function* batchIterOverDataset<T>(
  dataset: Dataset<T>,
  batchSize: number,
  options: { readonly runtime?: Pick<Runtime, "random"> | undefined } = {},
): AsyncGenerator<readonly T[], never, undefined> {
  if (!Number.isInteger(batchSize) || batchSize < 1) {
    throw new LightningError({
      code: "invalid_options",
      message: `batchSize must be a whole number from 1, got ${batchSize}`,
    });
  }
  const { random } = options.runtime ?? systemRuntime;
  const samples = await toArray(dataset);
  if (samples.length === 0)
    throw new LightningError({ code: "empty_dataset", message: "the dataset has no sample to make batches of" });
  for (;;) {
    const pass = shuffled(samples, random);
    for (let start = 0; start < pass.length; start += batchSize) yield pass.slice(start, start + batchSize);
  }
}
