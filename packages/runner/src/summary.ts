import type { ExecutedAttempt } from "./attempt-environment.ts";
import type { ReportedOutcome } from "./report-end.ts";

/** What a runner did between start and stop: how many of its attempts ended how. */
export interface RunnerSummary {
  readonly runnerId: string;
  /** Attempts that this runner started or handed straight back. */
  readonly attempts: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly timedOut: number;
  readonly unresponsive: number;
  readonly cancelled: number;
  /** Another runner holds the rollout, or it ended elsewhere. */
  readonly lost: number;
  /** Handed back to the queue. */
  readonly released: number;
  /** The store could not be told; its deadlines end these. */
  readonly unreported: number;
  /** Agents that did not stop when they were told to. */
  readonly abandoned: number;
  /** Spans that could not be delivered. */
  readonly droppedSpans: number;
  readonly durationMs: number;
}

/** Counts attempts as they end; holds numbers only, so its size does not grow. */
export class SummaryCounter {
  readonly #outcomes = new Map<ReportedOutcome, number>();
  #abandoned = 0;
  #droppedSpans = 0;

  add({ outcome, abandoned, droppedSpans }: Pick<ExecutedAttempt, "outcome" | "abandoned" | "droppedSpans">): void {
    this.#outcomes.set(outcome, this.#count(outcome) + 1);
    this.#abandoned += abandoned ? 1 : 0;
    this.#droppedSpans += droppedSpans;
  }

  summary(runnerId: string, durationMs: number): RunnerSummary {
    return {
      runnerId,
      attempts: [...this.#outcomes.values()].reduce((sum, count) => sum + count, 0),
      succeeded: this.#count("succeeded"),
      failed: this.#count("failed"),
      timedOut: this.#count("timeout"),
      unresponsive: this.#count("unresponsive"),
      cancelled: this.#count("cancelled"),
      lost: this.#count("lost"),
      released: this.#count("released"),
      unreported: this.#count("unreported"),
      abandoned: this.#abandoned,
      droppedSpans: this.#droppedSpans,
      durationMs,
    };
  }

  #count(outcome: ReportedOutcome): number {
    return this.#outcomes.get(outcome) ?? 0;
  }
}
