import {
  consoleLogger,
  LightningError,
  type LightningStore,
  type Logger,
  type Runtime,
  systemRuntime,
} from "@agentlightning/core";
import type { Agent } from "./agent.ts";
import type { RunnerHooks } from "./hooks.ts";

/** Options of a {@link Runner}. */
export interface RunnerOptions<TInput = unknown> {
  readonly store: LightningStore;
  readonly agent: Agent<unknown, TInput>;
  /** How many attempts run at once; a whole number from 1. @defaultValue 1 */
  readonly concurrency?: number | undefined;
  /** Begins the worker ids, `<runnerId>-<slot>`. @defaultValue `runner-` and random hex digits */
  readonly runnerId?: string | undefined;
  /** How long a claim lives without renewal, in milliseconds; renewed every third. @defaultValue 30,000 */
  readonly leaseMs?: number | undefined;
  /** How long running agents may go on after a stop, in milliseconds. @defaultValue 30,000 */
  readonly graceMs?: number | undefined;
  /** How long an aborted agent may take to settle before its slot goes on without it, in milliseconds. @defaultValue 5,000 */
  readonly settleMs?: number | undefined;
  /** Longest delivery of an attempt's last spans, in milliseconds. @defaultValue 5,000 */
  readonly flushTimeoutMs?: number | undefined;
  /** Longest standstill of the event loop before a lease is given up, in milliseconds. @defaultValue 120,000 */
  readonly maxBlockedMs?: number | undefined;
  /** How long the store may be away before `run` rejects, in milliseconds. @defaultValue 60,000 */
  readonly storeOutageMs?: number | undefined;
  /** Stops after this many claims; a whole number from 1. @defaultValue no bound */
  readonly maxRollouts?: number | undefined;
  /** Called in order around each attempt. @defaultValue none */
  readonly hooks?: readonly RunnerHooks[] | undefined;
  /** What an attempt whose spans were not all delivered becomes. @defaultValue "warn": it keeps its status */
  readonly onSpanLoss?: "warn" | "fail" | undefined;
  /** @defaultValue the console */
  readonly logger?: Logger | undefined;
  /** Clock, random numbers and ids. @defaultValue the system's */
  readonly runtime?: Runtime | undefined;
}

/** {@link RunnerOptions} with every default filled in. */
export interface ResolvedRunnerOptions {
  readonly store: LightningStore;
  readonly agent: Agent;
  readonly concurrency: number;
  readonly runnerId: string;
  readonly leaseMs: number;
  readonly graceMs: number;
  readonly settleMs: number;
  readonly flushTimeoutMs: number;
  readonly maxBlockedMs: number;
  readonly storeOutageMs: number;
  readonly maxRollouts: number;
  readonly hooks: readonly RunnerHooks[];
  readonly onSpanLoss: "warn" | "fail";
  readonly logger: Logger;
  readonly runtime: Runtime;
}

function invalid(option: string, value: unknown, expected: string): LightningError {
  const shown = typeof value === "string" ? `"${value}"` : String(value);
  return new LightningError({
    code: "invalid_options",
    message: `Option ${option} is ${shown}; it must be ${expected}.`,
    details: { option },
  });
}

function wholeNumber(option: string, value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  if (!Number.isSafeInteger(value) || value < 1) throw invalid(option, value, "a whole number from 1");
  return value;
}

function milliseconds(option: string, value: number | undefined, fallback: number, least = 0): number {
  if (value === undefined) return fallback;
  // setTimeout's longest delay: a longer one would fire at once.
  if (!(value >= least && value <= 2_147_483_647)) {
    throw invalid(option, value, `a number of milliseconds from ${least} to 2147483647`);
  }
  return value;
}

/**
 * The one place where a Runner's options are checked and defaults are filled in.
 *
 * @throws invalid_options naming the option, its value and its range
 */
export function resolveRunnerOptions<TInput>(options: RunnerOptions<TInput>): ResolvedRunnerOptions {
  if (options.store === undefined) throw invalid("store", options.store, "a LightningStore");
  if (typeof options.agent?.run !== "function") throw invalid("agent", options.agent, "made with defineAgent()");
  const { onSpanLoss = "warn", runtime = systemRuntime } = options;
  if (onSpanLoss !== "warn" && onSpanLoss !== "fail") throw invalid("onSpanLoss", onSpanLoss, '"warn" or "fail"');
  if (options.runnerId === "") throw invalid("runnerId", "", "a name that is not empty");
  return {
    store: options.store,
    agent: options.agent,
    concurrency: wholeNumber("concurrency", options.concurrency, 1),
    runnerId: options.runnerId ?? `runner-${runtime.ids.spanId()}`,
    leaseMs: milliseconds("leaseMs", options.leaseMs, 30_000, 1),
    graceMs: milliseconds("graceMs", options.graceMs, 30_000),
    settleMs: milliseconds("settleMs", options.settleMs, 5_000),
    flushTimeoutMs: milliseconds("flushTimeoutMs", options.flushTimeoutMs, 5_000),
    maxBlockedMs: milliseconds("maxBlockedMs", options.maxBlockedMs, 120_000),
    storeOutageMs: milliseconds("storeOutageMs", options.storeOutageMs, 60_000),
    maxRollouts: wholeNumber("maxRollouts", options.maxRollouts, Number.POSITIVE_INFINITY),
    hooks: options.hooks ?? [],
    onSpanLoss,
    logger: options.logger ?? consoleLogger,
    runtime,
  };
}
