import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScenarioRun } from "../run/run-scenario.ts";

/** What a whole run of the harness came to. */
export interface HarnessReport {
  readonly verdict: "passed" | "failed" | "unable" | "interrupted";
  readonly seed: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly totals: {
    readonly rollouts: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly cancelled: number;
  };
  readonly runs: readonly ScenarioRun[];
  /** Runs that were planned but did not take place. */
  readonly notRun: readonly string[];
  /** Why the run could not go on, if it could not. */
  readonly error?: string;
}

/** Sums up. */
export function buildReport(
  parts: Omit<HarnessReport, "totals" | "verdict"> & { readonly interrupted: boolean },
): HarnessReport {
  const { interrupted, ...rest } = parts;
  const sum = (key: keyof HarnessReport["totals"]): number =>
    rest.runs.reduce((total, run) => total + run.report.totals[key], 0);
  const allPassed = rest.runs.length > 0 && rest.runs.every(({ passed }) => passed);
  return {
    verdict: rest.error !== undefined ? "unable" : interrupted ? "interrupted" : allPassed ? "passed" : "failed",
    ...rest,
    totals: {
      rollouts: sum("rollouts"),
      succeeded: sum("succeeded"),
      failed: sum("failed"),
      cancelled: sum("cancelled"),
    },
  };
}

/** Writes `report.json` whole or not at all; at once, so that it can be done while the process ends. */
export function writeReport(folder: string, report: HarnessReport): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "report.json");
  writeFileSync(`${file}.partial`, `${JSON.stringify(report, null, 2)}\n`);
  renameSync(`${file}.partial`, file);
  return file;
}
