import type { RolloutMode } from "@agentlightning/core";
import { formatReport } from "./format-report.ts";

/** Statistics of the final rewards; averages are over rewards that exist, never over NaN. */
export interface RewardStatistics {
  readonly count: number;
  /** Succeeded rollouts without a reward. */
  readonly missing: number;
  readonly mean: number | undefined;
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly sum: number;
}

/** Statistics of durations, in milliseconds; the percentiles are within 1 %. */
export interface DurationStatistics {
  readonly count: number;
  readonly mean: number | undefined;
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly p50: number | undefined;
  readonly p95: number | undefined;
}

/** One kind of failure. */
export interface ErrorCount {
  readonly message: string;
  readonly count: number;
  /** At most five. */
  readonly rolloutIds: readonly string[];
}

/** What came of one part of the data. */
export interface SplitReport {
  readonly rollouts: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Rollouts that disappeared from the store. */
  readonly missing: number;
  /** Rollouts that had not ended when the run did. */
  readonly unfinished: number;
  readonly attempts: number;
  readonly retries: number;
  readonly spans: number;
  /** Spans that runners could not deliver. */
  readonly droppedSpans: number;
  readonly rewards: RewardStatistics;
  readonly durationsMs: DurationStatistics;
  readonly errors: readonly ErrorCount[];
}

/** How a run ended. `stalled`: nothing was claimed and nothing finished for too long; `failed_fast`: the first rollouts all failed alike. */
export type BaselineOutcome = "completed" | "interrupted" | "stalled" | "failed_fast";

/** The data of a {@link BaselineReport}. */
export interface BaselineReportData {
  readonly outcome: BaselineOutcome;
  /** Why it did not complete. */
  readonly message?: string;
  readonly epochs: number;
  readonly durationMs: number;
  readonly splits: Readonly<Record<Extract<RolloutMode, "train" | "val">, SplitReport>>;
  readonly totals: SplitReport;
}

/** What a Baseline run came to. */
export class BaselineReport implements BaselineReportData {
  readonly outcome: BaselineOutcome;
  readonly message?: string;
  readonly epochs: number;
  readonly durationMs: number;
  readonly splits: BaselineReportData["splits"];
  readonly totals: SplitReport;

  constructor(data: BaselineReportData) {
    this.outcome = data.outcome;
    if (data.message !== undefined) this.message = data.message;
    this.epochs = data.epochs;
    this.durationMs = data.durationMs;
    this.splits = data.splits;
    this.totals = data.totals;
  }

  /** A table for people: counts, rewards, durations, retries and errors per split. */
  summary(): string {
    return formatReport(this);
  }

  /** The data alone. */
  toJSON(): BaselineReportData {
    const { outcome, message, epochs, durationMs, splits, totals } = this;
    return { outcome, ...(message === undefined ? {} : { message }), epochs, durationMs, splits, totals };
  }
}
