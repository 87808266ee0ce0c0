import { LightningError, type Logger, type RolloutConfig } from "@agentlightning/core";

/** How a run stands; given to `onProgress` after each change. */
export interface BaselineProgress {
  readonly submitted: number;
  readonly queued: number;
  readonly running: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Mean of the final rewards so far. */
  readonly rewardMean: number | undefined;
}

/** How much is logged of each span: nothing, the names of its attributes, or their values too. */
export type SpanVerbosity = "none" | "keys" | "key_values";

/** Options of {@link Baseline}. */
export interface BaselineOptions {
  /** Passes over the data; a whole number from 1. @defaultValue 1 */
  readonly epochs?: number | undefined;
  /** Most rollouts that wait in the queue; a whole number from 1. @defaultValue 4 */
  readonly maxQueueLength?: number | undefined;
  /** @defaultValue "keys" */
  readonly spanVerbosity?: SpanVerbosity | undefined;
  /** How often the store is asked when it announces nothing, in milliseconds. @defaultValue 5000 */
  readonly pollingIntervalMs?: number | undefined;
  /** End the run when nothing is claimed and nothing finishes for that long, in milliseconds. @defaultValue 300,000, counted only while nothing is being run */
  readonly stallTimeoutMs?: number | undefined;
  /** Limits and retry rule of each rollout. @defaultValue the store's */
  readonly rolloutConfig?: Partial<RolloutConfig> | undefined;
  /** End the run when the first so many rollouts all failed with one message. @defaultValue off */
  readonly failFast?: number | undefined;
  /** After an abort: how long to wait for rollouts that are being run, in milliseconds. @defaultValue 30,000 */
  readonly drainMs?: number | undefined;
  /** @defaultValue the Trainer's */
  readonly logger?: Logger | undefined;
  readonly onProgress?: ((progress: BaselineProgress) => void) | undefined;
}

/** The options with defaults filled in. */
export interface ResolvedBaselineOptions {
  readonly epochs: number;
  readonly maxQueueLength: number;
  readonly spanVerbosity: SpanVerbosity;
  readonly pollingIntervalMs: number;
  readonly stallTimeoutMs: number | undefined;
  readonly rolloutConfig: Partial<RolloutConfig> | undefined;
  readonly failFast: number | undefined;
  readonly drainMs: number;
  readonly logger: Logger | undefined;
  readonly onProgress: (progress: BaselineProgress) => void;
}

function check(value: number, name: string, least: number, whole: boolean): number {
  if (Number.isFinite(value) && value >= least && (!whole || Number.isInteger(value))) return value;
  throw new LightningError({
    code: "invalid_options",
    message: `${name} must be ${whole ? "a whole number" : "a number of milliseconds"} from ${least}, got ${String(value)}`,
    details: { option: name },
  });
}

const verbosities: readonly SpanVerbosity[] = ["none", "keys", "key_values"];

/** Checks the options and fills in defaults. @throws invalid_options naming the field and its range */
export function resolveBaselineOptions(options: BaselineOptions): ResolvedBaselineOptions {
  const { spanVerbosity = "keys", stallTimeoutMs, failFast } = options;
  if (!verbosities.includes(spanVerbosity)) {
    throw new LightningError({
      code: "invalid_options",
      message: `spanVerbosity must be one of ${verbosities.join(", ")}, got ${spanVerbosity}`,
    });
  }
  return {
    epochs: check(options.epochs ?? 1, "epochs", 1, true),
    maxQueueLength: check(options.maxQueueLength ?? 4, "maxQueueLength", 1, true),
    spanVerbosity,
    pollingIntervalMs: check(options.pollingIntervalMs ?? 5_000, "pollingIntervalMs", 1, false),
    stallTimeoutMs: stallTimeoutMs === undefined ? undefined : check(stallTimeoutMs, "stallTimeoutMs", 1, false),
    rolloutConfig: options.rolloutConfig,
    failFast: failFast === undefined ? undefined : check(failFast, "failFast", 1, true),
    drainMs: check(options.drainMs ?? 30_000, "drainMs", 0, false),
    logger: options.logger,
    onProgress: options.onProgress ?? (() => undefined),
  };
}
