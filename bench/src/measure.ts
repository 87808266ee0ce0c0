/** One line of a bench's table. */
export interface Row {
  readonly what: string;
  readonly ours: string;
  readonly reference: string;
  readonly ratio: string;
  readonly target: string;
}

/** A bench: `short` keeps it working in CI, without judging the figures. */
export interface Bench {
  readonly name: string;
  run(options: { readonly short: boolean }): Promise<readonly Row[]>;
}

/** The middle value; the mean of the two middle ones for an even count. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper;
}

/** Milliseconds that `work` takes. */
export async function timeMs(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Runs ours and the reference in turn, so that a drift of the machine's speed hits both; gives medians and the median
 * ratio. With more than one round, a first one of each is not counted: it measures the compiler.
 */
export async function sideBySide(
  rounds: number,
  ours: () => Promise<number>,
  reference: () => Promise<number>,
): Promise<{ readonly ours: number; readonly reference: number; readonly ratio: number }> {
  const oursValues: number[] = [];
  const referenceValues: number[] = [];
  const ratios: number[] = [];
  if (rounds > 1) {
    await reference();
    await ours();
  }
  for (let round = 0; round < rounds; round += 1) {
    const referenceValue = await reference();
    const oursValue = await ours();
    oursValues.push(oursValue);
    referenceValues.push(referenceValue);
    ratios.push(oursValue / referenceValue);
  }
  return { ours: median(oursValues), reference: median(referenceValues), ratio: median(ratios) };
}

/** Heap in use after a collection, in bytes. */
export function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
