import { Algorithm, type AlgorithmContext, FastAlgorithm } from "./algorithm.ts";

/** An algorithm as a function. */
export type AlgorithmFunction<TTask, TResult> = (context: AlgorithmContext<TTask>) => TResult | Promise<TResult>;

/**
 * Makes an algorithm of a function.
 *
 * @param options - `fast`: whether `Trainer.dev` may run it; true unless said otherwise.
 * @example
 * ```ts
 * const countTasks = defineAlgorithm<string, number>(async ({ trainDataset }) => (await toArray(trainDataset ?? [])).length);
 * ```
 */
export function defineAlgorithm<TTask = unknown, TResult = void>(
  run: AlgorithmFunction<TTask, TResult>,
  options: { readonly fast?: boolean | undefined } = {},
): Algorithm<TTask, TResult> {
  class DefinedAlgorithm extends Algorithm<TTask, TResult> {
    async run(context: AlgorithmContext<TTask>): Promise<TResult> {
      return run(context);
    }
  }
  class DefinedFastAlgorithm extends FastAlgorithm<TTask, TResult> {
    async run(context: AlgorithmContext<TTask>): Promise<TResult> {
      return run(context);
    }
  }
  return options.fast === false ? new DefinedAlgorithm() : new DefinedFastAlgorithm();
}
