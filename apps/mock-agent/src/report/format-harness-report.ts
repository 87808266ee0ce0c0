import type { ScenarioRun } from "../run/run-scenario.ts";
import type { HarnessReport } from "./harness-report.ts";

function cells({ scenario, agent, passed, durationMs, report }: ScenarioRun): readonly string[] {
  const { rollouts, succeeded, failed, cancelled, retries, spans, rewards } = report.totals;
  return [
    passed ? "pass" : "FAIL",
    scenario,
    agent,
    String(rollouts),
    String(succeeded),
    String(failed),
    String(cancelled),
    String(retries),
    String(spans),
    rewards.mean === undefined ? "–" : rewards.mean.toFixed(3),
    `${(durationMs / 1_000).toFixed(2)} s`,
  ];
}

const heading = [
  "",
  "scenario",
  "agent",
  "rollouts",
  "succeeded",
  "failed",
  "cancelled",
  "retries",
  "spans",
  "reward",
  "time",
];
/** The first columns are words, the others figures. */
const wordColumns = 3;
const mostProblems = 10;

/** The report as plain text: a table, then what did not hold. */
export function formatHarnessReport(report: HarnessReport): string {
  const rows = [heading, ...report.runs.map(cells)];
  const widths = heading.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const table = rows.map((row) =>
    row
      .map((cell, column) =>
        column < wordColumns ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  const problems = report.runs.flatMap(({ scenario, agent, problems: found }) => [
    ...found.slice(0, mostProblems).map((problem) => `  ${scenario} (${agent}): ${problem}`),
    ...(found.length > mostProblems ? [`  ${scenario} (${agent}): and ${found.length - mostProblems} more`] : []),
  ]);
  const { totals, runs, notRun } = report;
  const passed = runs.filter((run) => run.passed).length;
  return [
    ...table,
    ...(problems.length === 0 ? [] : ["", "What did not hold:", ...problems]),
    ...(notRun.length === 0 ? [] : ["", `Not run: ${notRun.join(", ")}`]),
    ...(report.error === undefined ? [] : ["", `The run could not go on: ${report.error}`]),
    "",
    `${totals.rollouts} rollouts: ${totals.succeeded} succeeded, ${totals.failed} failed, ${totals.cancelled} cancelled; seed ${report.seed}`,
    `${report.verdict}: ${passed} of ${runs.length + notRun.length} scenario runs passed in ${(report.durationMs / 1_000).toFixed(1)} s`,
  ].join("\n");
}
