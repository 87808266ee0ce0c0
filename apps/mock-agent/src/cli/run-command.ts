import { LightningError } from "@agentlightning/core";
import { shutdownSignal } from "@agentlightning/runner";
import { formatHarnessReport } from "../report/format-harness-report.ts";
import { buildReport, writeReport } from "../report/harness-report.ts";
import { openProgressView } from "../report/progress.ts";
import { runScenario, type ScenarioRun } from "../run/run-scenario.ts";
import { planRuns, type RunRequest } from "./plan-runs.ts";

/** Exit codes: all passed, something failed, could not run, interrupted. */
export const exitCodes: Readonly<Record<"passed" | "failed" | "unable" | "interrupted", number>> = {
  passed: 0,
  failed: 1,
  unable: 2,
  interrupted: 130,
};

/** Runs what was asked for, prints the report, and gives the exit code. */
export async function runCommand(request: RunRequest & { readonly report?: string | undefined }): Promise<number> {
  let planned: Awaited<ReturnType<typeof planRuns>>;
  try {
    planned = await planRuns(request);
  } catch (error) {
    if (!LightningError.isInstance(error)) throw error;
    process.stderr.write(`${error.message}\n`);
    return exitCodes.unable;
  }
  const signal = shutdownSignal();
  const startedAt = new Date().toISOString();
  const startMs = performance.now();
  const view = openProgressView(process.stderr, process.env);
  const runs: ScenarioRun[] = [];
  try {
    for (const { label, scenario, options } of planned) {
      if (signal.aborted) break;
      view.started(label);
      const run = await runScenario(scenario, {
        ...options,
        signal,
        onProgress: (progress) => view.progress(label, progress),
      });
      view.ended(label, run);
      runs.push(run);
    }
  } finally {
    view.close();
  }
  const report = buildReport({
    interrupted: signal.aborted,
    seed: request.seed,
    startedAt,
    durationMs: performance.now() - startMs,
    runs,
    notRun: planned.slice(runs.length).map(({ label }) => label),
  });
  process.stdout.write(`${formatHarnessReport(report)}\n`);
  if (request.report !== undefined) process.stdout.write(`report: ${await writeReport(request.report, report)}\n`);
  return exitCodes[report.verdict];
}
