import type { Algorithm } from "@agentlightning/algorithm";
import type { LightningStore } from "@agentlightning/core";
import type { TrainingData } from "./fit-options.ts";
import type { ResolvedTrainerOptions } from "./options.ts";
import { settleAfterAbort } from "./settle-after-abort.ts";

/** What one run of an algorithm is given beside the trainer's options. */
export interface AlgorithmRun<T, R> {
  readonly algorithm: Algorithm<T, R>;
  readonly store: LightningStore;
  readonly data: TrainingData<T>;
  readonly trainer: object;
  readonly signal: AbortSignal;
}

/** An algorithm that was told to stop may still wait for the last reports of the agents, and sum up. */
const summingUpMs = 20_000;

/** Runs an algorithm to its result. @throws what it throws; aborted when it does not end after `signal` aborted */
export function runBoundAlgorithm<T, R>(
  { algorithm, store, data, trainer, signal }: AlgorithmRun<T, R>,
  { adapter, llmProxy, initialResources, logger, runtime, graceMs }: ResolvedTrainerOptions<unknown, unknown>,
): Promise<R> {
  const parts = {
    store,
    ...(adapter === undefined ? {} : { adapter }),
    ...(llmProxy === undefined ? {} : { llmProxy }),
    ...(initialResources === undefined ? {} : { initialResources }),
  };
  algorithm.bind({ ...parts, trainer });
  const run = async (): Promise<R> => algorithm.run({ ...parts, ...data, signal, logger, runtime });
  return settleAfterAbort(run, { signal, boundMs: graceMs + summingUpMs, clock: runtime.clock });
}
