import type { Algorithm } from "@agentlightning/algorithm";
import {
  consoleLogger,
  LightningError,
  type LightningStore,
  type LlmProxy,
  type Logger,
  type NamedResources,
  type Runtime,
  systemRuntime,
  type TraceAdapter,
} from "@agentlightning/core";
import type { RunnerHooks } from "@agentlightning/runner";

/** Options of a {@link Trainer}. */
export interface TrainerOptions<T = unknown, R = undefined> {
  /** What to run. @defaultValue none: `fit` serves whatever is enqueued, `dev` takes a Baseline */
  readonly algorithm?: Algorithm<T, R> | undefined;
  /** Stays open at the end. @defaultValue an embedded memory store per call, closed at its end, that keeps 10,000 finished rollouts */
  readonly store?: LightningStore | undefined;
  /** How many agents run at once; a whole number from 1. @defaultValue 1 */
  readonly runners?: number | undefined;
  /** Stored before anything runs; rollouts that name no resources get them. @defaultValue none */
  readonly initialResources?: NamedResources | undefined;
  /** Turns spans into what the algorithm learns from. @defaultValue none */
  readonly adapter?: TraceAdapter | undefined;
  /** Started and stopped by the algorithm that uses it. @defaultValue none */
  readonly llmProxy?: LlmProxy | undefined;
  /** Called in order around each attempt. @defaultValue none */
  readonly hooks?: readonly RunnerHooks[] | undefined;
  /** How long running agents may go on after the end, in milliseconds. @defaultValue 30,000 */
  readonly graceMs?: number | undefined;
  /** How long a claim lives without renewal, in milliseconds. @defaultValue 30,000 */
  readonly leaseMs?: number | undefined;
  /** What an attempt whose spans were not all delivered becomes. @defaultValue "warn": it keeps its status */
  readonly onSpanLoss?: "warn" | "fail" | undefined;
  /** @defaultValue the console */
  readonly logger?: Logger | undefined;
  /** Clock, random numbers and ids. @defaultValue the system's */
  readonly runtime?: Runtime | undefined;
}

/** {@link TrainerOptions} with every default filled in; what stays unset has none. */
export interface ResolvedTrainerOptions<T, R> {
  readonly algorithm: Algorithm<T, R> | undefined;
  readonly store: LightningStore | undefined;
  readonly runners: number;
  readonly initialResources: NamedResources | undefined;
  readonly adapter: TraceAdapter | undefined;
  readonly llmProxy: LlmProxy | undefined;
  readonly hooks: readonly RunnerHooks[];
  readonly graceMs: number;
  readonly leaseMs: number;
  readonly onSpanLoss: "warn" | "fail";
  readonly logger: Logger;
  readonly runtime: Runtime;
}

function invalid(option: string, value: unknown, expected: string): LightningError {
  return new LightningError({
    code: "invalid_options",
    message: `Option ${option} is ${String(value)}; it must be ${expected}.`,
    details: { option },
  });
}

function milliseconds(option: string, value: number, least: number): number {
  // setTimeout's longest delay: a longer one would fire at once.
  if (value >= least && value <= 2_147_483_647) return value;
  throw invalid(option, value, `a number of milliseconds from ${least} to 2147483647`);
}

/**
 * The one place where a Trainer's options are checked and defaults are filled in.
 *
 * @throws invalid_options naming the option, its value and its range
 */
export function resolveTrainerOptions<T, R>(options: TrainerOptions<T, R>): ResolvedTrainerOptions<T, R> {
  const { runners = 1, graceMs = 30_000, leaseMs = 30_000, onSpanLoss = "warn" } = options;
  if (!Number.isSafeInteger(runners) || runners < 1) throw invalid("runners", runners, "a whole number from 1");
  if (onSpanLoss !== "warn" && onSpanLoss !== "fail") throw invalid("onSpanLoss", onSpanLoss, '"warn" or "fail"');
  return {
    algorithm: options.algorithm,
    store: options.store,
    runners,
    initialResources: options.initialResources,
    adapter: options.adapter,
    llmProxy: options.llmProxy,
    hooks: options.hooks ?? [],
    graceMs: milliseconds("graceMs", graceMs, 0),
    leaseMs: milliseconds("leaseMs", leaseMs, 1),
    onSpanLoss,
    logger: options.logger ?? consoleLogger,
    runtime: options.runtime ?? systemRuntime,
  };
}
