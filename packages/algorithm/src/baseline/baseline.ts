import { type AlgorithmContext, FastAlgorithm } from "../algorithm.ts";
import { type BaselineOptions, type ResolvedBaselineOptions, resolveBaselineOptions } from "./options.ts";
import type { BaselineReport } from "./report.ts";
import { BaselineRun } from "./run.ts";

/**
 * Streams the data through the queue for some epochs, never more than `maxQueueLength` waiting, and sums up what comes
 * back. It changes nothing: run it to see that the plumbing works, or as the baseline to beat.
 */
export class Baseline<TTask = unknown> extends FastAlgorithm<TTask, BaselineReport> {
  readonly #options: ResolvedBaselineOptions;

  /** @throws invalid_options naming the field and its range */
  constructor(options: BaselineOptions = {}) {
    super();
    this.#options = resolveBaselineOptions(options);
  }

  /**
   * Runs all samples. Aborted, it cancels what nobody has claimed, waits for what is being run, and returns its partial
   * report.
   *
   * @throws empty_dataset before anything is stored
   */
  async run(context: AlgorithmContext<TTask>): Promise<BaselineReport> {
    return new BaselineRun(context, this.#options).run();
  }
}
