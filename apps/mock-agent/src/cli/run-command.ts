import { LightningError } from "@agentlightning/core";
import { shutdownSignal } from "@agentlightning/runner";
import { formatHarnessReport } from "../report/format-harness-report.ts";
import { buildReport, writeReport } from "../report/harness-report.ts";
import { openProgressView } from "../report/progress.ts";
import { runScenario, type RunScenarioOptions, type ScenarioRun } from "../run/run-scenario.ts";
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
  const conclude = (error?: string): number => {
    const report = buildReport({
      interrupted: signal.aborted,
      seed: request.seed,
      startedAt,
      durationMs: performance.now() - startMs,
      runs,
      notRun: planned.slice(runs.length).map(({ label }) => label),
      ...(error === undefined ? {} : { error }),
    });
    process.stdout.write(`${formatHarnessReport(report)}\n`);
    if (request.report !== undefined) process.stdout.write(`report: ${writeReport(request.report, report)}\n`);
    return exitCodes[report.verdict];
  };
  // An agent may end the process; what there is by then is still reported.
  const onExit = (): void => void conclude("the process was ended before the run was over");
  process.once("exit", onExit);
  try {
    for (const { label, scenario, options } of planned) {
      if (signal.aborted) break;
      view.started(label);
      const onProgress: RunScenarioOptions["onProgress"] = (progress) => view.progress(label, progress);
      const run = await runScenario(scenario, { ...options, signal, onProgress });
      view.ended(label, run);
      runs.push(run);
    }
  } catch (error) {
    view.close();
    process.off("exit", onExit);
    return conclude(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  view.close();
  process.off("exit", onExit);
  return conclude();
}
