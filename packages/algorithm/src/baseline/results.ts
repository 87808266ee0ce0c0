import type { Logger } from "@agentlightning/core";
import type { AlgorithmContext } from "../algorithm.ts";
import { collectRollout, explainFailure, type FinishedRollout } from "./collect.ts";
import type { ResolvedBaselineOptions } from "./options.ts";
import { logFinished } from "./rollout-log.ts";
import type { RunState } from "./run-state.ts";

/** What results are taken in with. */
export interface ResultsOptions {
  readonly context: Pick<AlgorithmContext<unknown>, "store" | "adapter">;
  readonly options: ResolvedBaselineOptions;
  readonly logger: Logger;
  readonly state: RunState;
}

/** Takes in what finished rollouts came to: reads each once, counts it, logs it, adapts its spans. */
export class Results {
  readonly #parts: ResultsOptions;
  #saidNoAdapter = false;

  constructor(parts: ResultsOptions) {
    this.#parts = parts;
  }

  /** Takes in one rollout; gives it with the reason of its failure, or nothing when the store has it no more. */
  async take(
    rolloutId: string,
    mode: "train" | "val",
  ): Promise<{ readonly finished: FinishedRollout; readonly failure: string | undefined } | undefined> {
    const { context, options, logger, state } = this.#parts;
    const finished = await collectRollout(context.store, rolloutId);
    if (finished === undefined) {
      logger.warn(`[Rollout ${rolloutId}] Disappeared from the store before its result was read.`);
      state.both(mode, (tally) => tally.count("missing"));
      return undefined;
    }
    const failure = finished.rollout.status === "failed" ? explainFailure(finished) : undefined;
    this.#count(finished, mode, failure);
    logFinished(logger, options.spanVerbosity, finished);
    this.#adapt(finished);
    return { finished, failure };
  }

  #count(
    { rollout, attempts, spans, reward }: FinishedRollout,
    mode: "train" | "val",
    failure: string | undefined,
  ): void {
    const { rolloutId, status, startTimeMs, endTimeMs } = rollout;
    const droppedSpans = attempts.reduce((sum, attempt) => sum + (attempt.droppedSpans ?? 0), 0);
    this.#parts.state.both(mode, (tally) => {
      if (status === "succeeded" || status === "failed" || status === "cancelled") tally.count(status);
      tally.countWork({ attempts: attempts.length, spans: spans.length, droppedSpans });
      if (endTimeMs !== undefined) tally.duration(Math.max(0, endTimeMs - startTimeMs));
      if (status === "succeeded" || reward !== undefined) tally.reward(reward);
      if (failure !== undefined) tally.error(failure, rolloutId);
    });
  }

  #adapt({ rollout, latestSpans }: FinishedRollout): void {
    const { context, logger } = this.#parts;
    const { adapter } = context;
    if (adapter === undefined) {
      if (!this.#saidNoAdapter) logger.warn("No adapter is set; spans are not adapted.");
      this.#saidNoAdapter = true;
      return;
    }
    try {
      const adapted = JSON.stringify(adapter.adapt(latestSpans));
      logger.info(`[Rollout ${rollout.rolloutId}] Adapted data: ${adapted}`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      logger.warn(`[Rollout ${rollout.rolloutId}] Its spans could not be adapted: ${why}`);
    }
  }
}
