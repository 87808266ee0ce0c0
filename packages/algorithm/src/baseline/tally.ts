import type { DurationStatistics, ErrorCount, RewardStatistics, SplitReport } from "./report.ts";

/** Adjacent buckets differ by 1 %, so that percentiles cost a bounded memory at any number of rollouts. */
const bucketRatio = Math.log(1.01);
const mostErrorKinds = 50;
const longestMessage = 300;

/** Counts what comes of rollouts, in memory that does not grow with their number. */
export class Tally {
  #counts = {
    rollouts: 0,
    succeeded: 0,
    failed: 0,
    cancelled: 0,
    missing: 0,
    unfinished: 0,
    attempts: 0,
    retries: 0,
    spans: 0,
    droppedSpans: 0,
  };
  #rewards = { count: 0, missing: 0, sum: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY };
  #durations = { count: 0, sum: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY };
  readonly #buckets = new Map<number, number>();
  readonly #errors = new Map<string, { count: number; readonly rolloutIds: string[] }>();

  count(kind: "rollouts" | "succeeded" | "failed" | "cancelled" | "missing" | "unfinished", by: number = 1): void {
    this.#counts[kind] += by;
  }

  countWork(work: { readonly attempts: number; readonly spans: number; readonly droppedSpans: number }): void {
    this.#counts.attempts += work.attempts;
    this.#counts.retries += Math.max(0, work.attempts - 1);
    this.#counts.spans += work.spans;
    this.#counts.droppedSpans += work.droppedSpans;
  }

  reward(value: number | undefined): void {
    const rewards = this.#rewards;
    if (value === undefined) {
      rewards.missing += 1;
      return;
    }
    rewards.count += 1;
    rewards.sum += value;
    rewards.min = Math.min(rewards.min, value);
    rewards.max = Math.max(rewards.max, value);
  }

  duration(ms: number): void {
    const durations = this.#durations;
    durations.count += 1;
    durations.sum += ms;
    durations.min = Math.min(durations.min, ms);
    durations.max = Math.max(durations.max, ms);
    const bucket = Math.round(Math.log(Math.max(ms, 0.001)) / bucketRatio);
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1);
  }

  error(message: string, rolloutId: string): void {
    const short = message.length > longestMessage ? `${message.slice(0, longestMessage)}…` : message;
    const key = this.#errors.has(short) || this.#errors.size < mostErrorKinds ? short : "other errors";
    const entry = this.#errors.get(key) ?? { count: 0, rolloutIds: [] };
    entry.count += 1;
    if (entry.rolloutIds.length < 5) entry.rolloutIds.push(rolloutId);
    this.#errors.set(key, entry);
  }

  #percentile(share: number): number | undefined {
    const { count, min, max } = this.#durations;
    if (count === 0) return undefined;
    let left = Math.ceil(count * share);
    for (const [bucket, inBucket] of [...this.#buckets].toSorted(([a], [b]) => a - b)) {
      left -= inBucket;
      if (left <= 0) return Math.min(Math.max(Math.exp(bucket * bucketRatio), min), max);
    }
    return max;
  }

  /** The counts alone; cheap enough for every step of a run. */
  standing(): {
    readonly rollouts: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly cancelled: number;
    readonly rewardMean: number | undefined;
  } {
    const { rollouts, succeeded, failed, cancelled } = this.#counts;
    const { count, sum } = this.#rewards;
    return { rollouts, succeeded, failed, cancelled, rewardMean: count > 0 ? sum / count : undefined };
  }

  report(): SplitReport {
    const { count, missing, sum } = this.#rewards;
    const some = count > 0;
    const rewards: RewardStatistics = {
      count,
      missing,
      mean: some ? sum / count : undefined,
      min: some ? this.#rewards.min : undefined,
      max: some ? this.#rewards.max : undefined,
      sum,
    };
    const timed = this.#durations.count > 0;
    const durationsMs: DurationStatistics = {
      count: this.#durations.count,
      mean: timed ? this.#durations.sum / this.#durations.count : undefined,
      min: timed ? this.#durations.min : undefined,
      max: timed ? this.#durations.max : undefined,
      p50: this.#percentile(0.5),
      p95: this.#percentile(0.95),
    };
    const errors = [...this.#errors]
      .map(([message, entry]): ErrorCount => ({ message, ...entry }))
      .toSorted((a, b) => b.count - a.count);
    return { ...this.#counts, rewards, durationsMs, errors };
  }
}
