import { LightningError, systemRuntime } from "@agentlightning/core";
import { type Aspect, aspects, type ConformanceCase } from "./case.ts";
import { allCases } from "./cases.ts";
import type { StoreFixture } from "./fixture.ts";
import { offeredBy, runCase } from "./run-case.ts";

/** Options of a run of the suite. */
export interface SuiteOptions {
  /** Cases that the store is known to fail, by name, each with the reason. They must fail. */
  readonly deviations?: Readonly<Record<string, string>> | undefined;
  /** Decides ids and random histories. @defaultValue drawn anew, and printed */
  readonly seed?: number | undefined;
  /** Only cases of these aspects. @defaultValue all */
  readonly aspects?: readonly Aspect[] | undefined;
  /** Real time after which {@link certifyStore} counts a case as stuck, and failed, in milliseconds. @defaultValue 60 000 */
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

/** The seed of a run. */
export function seedOf(options: SuiteOptions): number {
  return options.seed ?? Math.floor(systemRuntime.random() * 2 ** 31);
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
  seed: number,
  limitMs?: number,
): Promise<string> {
  try {
    await runCase(fixture, entry, seed, limitMs);
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
  throw new Error(`"${entry.name}" is announced as a deviation, but the store passes it: strike it from the list`);
}

async function judge(fixture: StoreFixture, entry: ConformanceCase, seed: number, options: SuiteOptions) {
  const { aspect, name } = entry;
  const { deviations = {}, caseLimitMs = 60_000 } = options;
  try {
    if (Object.hasOwn(deviations, name)) {
      await deviationIsNeeded(fixture, entry, seed, caseLimitMs);
      return { aspect, name, outcome: "deviates", detail: deviations[name] ?? "" } as const;
    }
    await runCase(fixture, entry, seed, caseLimitMs);
    return { aspect, name, outcome: "passed" } as const;
  } catch (cause) {
    return { aspect, name, outcome: "failed", detail: cause instanceof Error ? cause.message : String(cause) } as const;
  }
}

/** Runs the suite without a test runner, case after case. The fixture is closed at the end. */
export async function certifyStore(fixture: StoreFixture, options: SuiteOptions = {}): Promise<Certificate> {
  requireKnownDeviations(options.deviations ?? {});
  const seed = seedOf(options);
  const offered = await offeredBy(fixture);
  const wanted = new Set<Aspect>(options.aspects ?? aspects);
  const results: CaseResult[] = [];
  for (const entry of allCases) {
    if (!wanted.has(entry.aspect)) continue;
    const missing = (entry.requires ?? []).filter((needed) => !offered.has(needed));
    const result: CaseResult =
      missing.length > 0
        ? { aspect: entry.aspect, name: entry.name, outcome: "left out", detail: `requires ${missing.join(", ")}` }
        : await judge(fixture, entry, seed, options);
    results.push(result);
    options.onResult?.(result);
  }
  await fixture.close?.();
  return {
    store: fixture.name,
    isCertified: results.every(({ outcome }) => outcome !== "failed"),
    offers: [...offered],
    seed,
    results,
  };
}
