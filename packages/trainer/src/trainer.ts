import { type Algorithm, Baseline, type BaselineReport, FastAlgorithm } from "@agentlightning/algorithm";
import { LightningError, type LightningStore } from "@agentlightning/core";
import { type Agent, Runner } from "@agentlightning/runner";
import { openMemoryStore } from "@agentlightning/store-memory";
import { AlgorithmNotFastError } from "./algorithm-not-fast-error.ts";
import { type FitOptions, resolveDatasets, type TrainingData } from "./fit-options.ts";
import { runSides } from "./run-sides.ts";
import { type ResolvedTrainerOptions, resolveTrainerOptions, type TrainerOptions } from "./options.ts";
import { type AlgorithmRun, runBoundAlgorithm } from "./run-algorithm.ts";

/** Finished rollouts that the embedded store of a call keeps; older ones are dropped, so that memory stays flat. */
const retainedRollouts = 10_000;

/** Wires an algorithm, runners and a store, and runs them in this process. */
export class Trainer<T = unknown, R = undefined> {
  readonly #options: ResolvedTrainerOptions<T, R>;

  /** @throws invalid_options naming the option, its value and its range */
  constructor(options: TrainerOptions<T, R> = {}) {
    this.#options = resolveTrainerOptions(options);
  }

  /**
   * Runs the algorithm over the data with `runners` agents at once, and gives what its `run` returns. Without an
   * algorithm, serves whatever is enqueued in the store until `signal` aborts.
   *
   * @throws invalid_options for datasets that contradict each other; whatever the algorithm throws
   */
  fit<TInput extends T, TTask>(agent: Agent<TTask, TInput>, options?: FitOptions<TInput>): Promise<R>;
  async fit<TInput extends T, TTask>(
    agent: Agent<TTask, TInput>,
    options: FitOptions<TInput> = {},
  ): Promise<R | undefined> {
    const { algorithm } = this.#options;
    const data = resolveDatasets(options);
    return this.#withStore(async (store) => {
      if (algorithm !== undefined) return this.#run({ store, agent, algorithm, data }, options.signal);
      await this.#createRunner(store, agent).run({ signal: options.signal });
      return undefined;
    });
  }

  /**
   * As {@link Trainer.fit}, for a first look: only algorithms with short feedback loops, a Baseline where none is set.
   *
   * @throws algorithm_not_fast, before anything is enqueued, naming the class
   */
  dev<TInput, TTask>(this: Trainer, agent: Agent<TTask, TInput>, options?: FitOptions<TInput>): Promise<BaselineReport>;
  dev<TInput extends T, TTask>(agent: Agent<TTask, TInput>, options?: FitOptions<TInput>): Promise<R>;
  async dev<TInput extends T, TTask>(
    agent: Agent<TTask, TInput>,
    options: FitOptions<TInput> = {},
  ): Promise<R | BaselineReport> {
    const { algorithm, logger } = this.#options;
    if (algorithm !== undefined) requireFast(algorithm);
    const data = resolveDatasets(options);
    const run = { agent, data };
    return this.#withStore((store): Promise<R | BaselineReport> => {
      if (algorithm !== undefined) return this.#run({ ...run, store, algorithm }, options.signal);
      return this.#run({ ...run, store, algorithm: new Baseline<TInput>({ logger }) }, options.signal);
    });
  }

  /**
   * Runs the algorithm alone, for runners that are elsewhere and share the store.
   *
   * @throws not_configured without an algorithm or a store of yours; whatever the algorithm throws
   */
  async runAlgorithm<TInput extends T>(options: FitOptions<TInput> = {}): Promise<R> {
    const { algorithm, store } = this.#options;
    if (algorithm === undefined || store === undefined) {
      const missing = algorithm === undefined ? "an algorithm" : "a store that the runners share";
      throw new LightningError({
        code: "not_configured",
        message: `runAlgorithm() needs ${missing}: give it to the Trainer.`,
      });
    }
    const data = resolveDatasets(options);
    const { signal = new AbortController().signal } = options;
    return this.#withStore((shared) => this.#runBound({ algorithm, store: shared, data }, signal));
  }

  #run<TInput, TTask, TResult>(
    { store, agent, algorithm, data }: FitParts<TInput, TTask, TResult>,
    signal: AbortSignal | undefined,
  ): Promise<TResult> {
    const runner = this.#createRunner(store, agent);
    return runSides(
      {
        algorithm: (stop) => this.#runBound({ algorithm, store, data }, stop),
        runners: (stop) => runner.run({ signal: stop }),
      },
      { signal, logger: this.#options.logger },
    );
  }

  #runBound<TInput, TResult>(
    parts: Omit<AlgorithmRun<TInput, TResult>, "trainer" | "signal">,
    signal: AbortSignal,
  ): Promise<TResult> {
    return runBoundAlgorithm({ ...parts, trainer: this, signal }, this.#options);
  }

  #createRunner<TInput, TTask>(store: LightningStore, agent: Agent<TTask, TInput>): Runner<TInput> {
    const { runners, graceMs, leaseMs, hooks, onSpanLoss, logger, runtime } = this.#options;
    return new Runner({ store, agent, concurrency: runners, graceMs, leaseMs, hooks, onSpanLoss, logger, runtime });
  }

  /** Hands out the user's store, or one of this call alone, which is closed afterwards. */
  async #withStore<TResult>(use: (store: LightningStore) => Promise<TResult>): Promise<TResult> {
    const { runtime, initialResources } = this.#options;
    const own = this.#options.store === undefined;
    const store =
      this.#options.store ?? openMemoryStore({ runtime, retention: { finishedRollouts: retainedRollouts } });
    try {
      if (initialResources !== undefined) await store.addResources(initialResources);
      return await use(store);
    } finally {
      if (own) await store.close();
    }
  }
}

function requireFast(algorithm: object): void {
  if (FastAlgorithm.isInstance(algorithm)) return;
  throw new AlgorithmNotFastError(algorithm.constructor.name || "the given algorithm");
}

interface FitParts<TInput, TTask, TResult> {
  readonly store: LightningStore;
  readonly agent: Agent<TTask, TInput>;
  readonly algorithm: Algorithm<TInput, TResult>;
  readonly data: TrainingData<TInput>;
}
