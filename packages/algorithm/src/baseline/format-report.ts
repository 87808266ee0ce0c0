import type { BaselineReportData, SplitReport } from "./report.ts";

function number(value: number | undefined, digits: number): string {
  return value === undefined ? "–" : value.toFixed(digits);
}

function duration(ms: number | undefined): string {
  if (ms === undefined) return "–";
  return ms < 1_000 ? `${ms.toFixed(0)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

function rowOf(name: string, split: SplitReport): readonly string[] {
  const { rewards, durationsMs } = split;
  return [
    name,
    String(split.rollouts),
    String(split.succeeded),
    String(split.failed),
    String(split.cancelled + split.missing + split.unfinished),
    String(split.retries),
    String(split.spans),
    number(rewards.mean, 3),
    rewards.count === 0 ? "–" : `${number(rewards.min, 2)}…${number(rewards.max, 2)}`,
    duration(durationsMs.p50),
    duration(durationsMs.p95),
  ];
}

const heading = [
  "split",
  "rollouts",
  "succeeded",
  "failed",
  "other",
  "retries",
  "spans",
  "reward",
  "range",
  "p50",
  "p95",
];

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = heading.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  );
}

/** The report as aligned plain text. */
export function formatReport(report: BaselineReportData): string {
  const { splits, totals } = report;
  const used = Object.entries(splits).filter(([, split]) => split.rollouts > 0);
  const rows = [heading, ...used.map(([name, split]) => rowOf(name, split))];
  if (used.length !== 1) rows.push(rowOf("total", totals));
  const ended = report.message === undefined ? report.outcome : `${report.outcome}: ${report.message}`;
  const lines = [
    `${ended} in ${duration(report.durationMs)}, ${report.epochs} epoch${report.epochs === 1 ? "" : "s"}`,
    ...table(rows),
  ];
  const { cancelled, missing, unfinished, rewards, droppedSpans } = totals;
  const notes = [
    [cancelled, "cancelled"],
    [missing, "missing from the store"],
    [unfinished, "unfinished"],
    [rewards.missing, "succeeded without a reward"],
    [droppedSpans, "spans lost"],
  ] as const;
  for (const [count, what] of notes) if (count > 0) lines.push(`${count} ${what}`);
  for (const error of totals.errors)
    lines.push(
      `${error.count} × ${error.message} (${error.rolloutIds.join(", ")}${error.count > error.rolloutIds.length ? ", …" : ""})`,
    );
  return lines.join("\n");
}
