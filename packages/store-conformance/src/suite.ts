import { LightningError, systemRuntime } from "@agentlightning/core";
import { type Aspect, aspects, type ConformanceCase } from "./case.ts";
import { allCases } from "./cases.ts";
import type { StoreFixture } from "./fixture.ts";
import { offeredBy, type RunOptions, runCase } from "./run-case.ts";

/** Options of a run of the suite. */
export interface SuiteOptions {
  /** Cases that the store is known to fail, by name, each with the reason. They must fail. */
  readonly deviations?: Readonly<Record<string, string>> | undefined;
  /** Decides ids and random histories. @defaultValue drawn anew, and printed */
  readonly seed?: number | undefined;
  /** Only cases of these aspects. @defaultValue all */
  readonly aspects?: readonly Aspect[] | undefined;
  /** Random histories for each of the cases that compare the store with a model. @defaultValue 1 000 */
  readonly histories?: number | undefined;
  /** Real time after which a case counts as stuck, and failed, in milliseconds. @defaultValue 60 000, 600 000 for random histories */
  readonly caseLimitMs?: number | undefined;
  /** Called after each case. */
  readonly onResult?: ((result: CaseResult) => void) | undefined;
}

/** How a case came out: `left out` when the store does not offer what it requires, `deviates` when it failed as announced. */
export interface CaseResult {
  readonly aspect: Aspect;
  readonly name: string;
  readonly outcome: "passed" | "failed" | "deviates" | "left out";
  /** Why it failed, deviates or was left out. */
  readonly detail?: string;
}

/** What the suite found. */
export interface Certificate {
  readonly store: string;
  /** The suite found nothing but announced deviations. */
  readonly isCertified: boolean;
  /** What the store claims, and therefore was held to. */
  readonly offers: readonly string[];
  readonly seed: number;
  readonly results: readonly CaseResult[];
}

/** How the cases are to be run, and the seed of that. */
export function runOptionsOf({ seed, histories = 1_000, caseLimitMs }: SuiteOptions): RunOptions {
  return { seed: seed ?? Math.floor(systemRuntime.random() * 2 ** 31), histories, caseLimitMs };
}

/** The cases that are asked for. */
export function casesFor({ aspects: wanted = aspects }: SuiteOptions): readonly ConformanceCase[] {
  return allCases.filter(({ aspect }) => wanted.includes(aspect));
}

/** @throws invalid_options for a deviation that names no case */
export function requireKnownDeviations(deviations: Readonly<Record<string, string>>): void {
  const known = new Set(allCases.map(({ name }) => name));
  for (const name of Object.keys(deviations)) {
    if (known.has(name)) continue;
    throw new LightningError({ code: "invalid_options", message: `deviations: the suite has no case "${name}"` });
  }
}

/** Runs a case that is announced to fail. @throws when it passes */
export async function deviationIsNeeded(
  fixture: StoreFixture,
  entry: ConformanceCase,
  options: RunOptions,
): Promise<string> {
  try {
    await runCase(fixture, entry, options);
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
  throw new Error(`"${entry.name}" is announced as a deviation, but the store passes it: strike it from the list`);
}

async function judge(
  fixture: StoreFixture,
  entry: ConformanceCase,
  options: RunOptions,
  deviations: Readonly<Record<string, string>>,
) {
  const { aspect, name } = entry;
  try {
    if (Object.hasOwn(deviations, name)) {
      await deviationIsNeeded(fixture, entry, options);
      return { aspect, name, outcome: "deviates", detail: deviations[name] ?? "" } as const;
    }
    await runCase(fixture, entry, options);
    return { aspect, name, outcome: "passed" } as const;
  } catch (cause) {
    return { aspect, name, outcome: "failed", detail: cause instanceof Error ? cause.message : String(cause) } as const;
  }
}

/** Runs the suite without a test runner, case after case. The fixture is closed at the end. */
export async function certifyStore(fixture: StoreFixture, options: SuiteOptions = {}): Promise<Certificate> {
  requireKnownDeviations(options.deviations ?? {});
  try {
    return await certificateOf(fixture, options);
  } finally {
    await fixture.close?.();
  }
}

async function certificateOf(fixture: StoreFixture, options: SuiteOptions): Promise<Certificate> {
  const run = runOptionsOf(options);
  const offered = await offeredBy(fixture);
  const results: CaseResult[] = [];
  for (const entry of casesFor(options)) {
    const missing = (entry.requires ?? []).filter((needed) => !offered.has(needed));
    const result: CaseResult =
      missing.length > 0
        ? { aspect: entry.aspect, name: entry.name, outcome: "left out", detail: `requires ${missing.join(", ")}` }
        : await judge(fixture, entry, run, options.deviations ?? {});
    results.push(result);
    options.onResult?.(result);
  }
  return {
    store: fixture.name,
    isCertified: results.every(({ outcome }) => outcome !== "failed"),
    offers: [...offered],
    seed: run.seed,
    results,
  };
}
