import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCli } from "./cli.ts";

async function folder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "harness-"));
}

async function datasetOf(...lines: readonly unknown[]): Promise<string> {
  const file = join(await folder(), "tasks.jsonl");
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join("\n"));
  return file;
}

describe("exit code 0", () => {
  test("without flags every scenario and every agent is run, and the report is on standard output without escape codes", async () => {
    const { code, stdout, stderr } = await runCli([]);
    expect([code, stderr.includes("FAILED")]).toEqual([0, false]);
    for (const name of [
      "happy-path",
      "tool-use",
      "step-rewards",
      "failing-agent",
      "flaky-agent",
      "slow-agent",
      "silent-agent",
      "cancel",
    ])
      expect(stdout).toContain(`pass  ${name}`);
    for (const agent of ["rooms", "stories", "math", "facts"])
      expect(stdout).toMatch(new RegExp(`happy-path +${agent}`));
    expect(stdout).toContain("passed: 11 of 11 scenario runs passed");
    expect(stdout + stderr).not.toContain("\u001b[");
  });

  test("a dataset finds its agent, and the report file agrees with what was printed", async () => {
    const report = await folder();
    const dataset = await datasetOf({ input: "1 + 1?", target: 2 }, { input: "2 + 2?", target: 4 });
    const { code, stdout } = await runCli(["run", "--dataset", dataset, "--report", report]);
    expect(code).toBe(0);
    const written = JSON.parse(await readFile(join(report, "report.json"), "utf8"));
    expect([written.verdict, written.totals]).toEqual([
      "passed",
      { rollouts: 2, succeeded: 2, failed: 0, cancelled: 0 },
    ]);
    expect(stdout).toContain("2 rollouts: 2 succeeded, 0 failed, 0 cancelled");
  });

  test("--help lists the flags of a run", async () => {
    const { code, stdout } = await runCli(["--help"]);
    expect([code, stdout.includes("--dataset <file>"), stdout.includes("--seed <number>")]).toEqual([0, true, true]);
  });

  test("--list names scenarios and agents", async () => {
    const { code, stdout } = await runCli(["--list"]);
    expect([code, stdout.includes("flaky-agent"), stdout.includes("stories")]).toEqual([0, true, true]);
  });
});

describe("exit code 1", () => {
  test("a task that its agent cannot take fails the run, by name, and the report is written all the same", async () => {
    const report = await folder();
    const dataset = await datasetOf({ input: "1 + 1?", target: 2 }, { input: "no target" });
    const { code, stdout } = await runCli(["--dataset", dataset, "--report", report]);
    expect(code).toBe(1);
    expect(stdout).toContain("is failed instead of succeeded");
    expect(JSON.parse(await readFile(join(report, "report.json"), "utf8")).totals).toEqual({
      rollouts: 2,
      succeeded: 1,
      failed: 1,
      cancelled: 0,
    });
  });
});

describe("exit code 2, and nothing that looks green", () => {
  test.each<[string, () => Promise<readonly string[]>, string]>([
    ["an unknown scenario", async () => ["--scenario", "hapy-path"], "there are: happy-path, tool-use"],
    ["an unknown agent", async () => ["--agent", "nobody"], "there are: rooms, stories, math, facts"],
    [
      "a scenario that does not go with the agent",
      async () => ["--scenario", "tool-use", "--agent", "math"],
      "nothing to run",
    ],
    ["an unknown flag", async () => ["--sede", "7"], "--sede"],
    ["a seed that is none", async () => ["--seed", "x"], "whole number"],
    ["a store that is not known", async () => ["--store", "redis://x"], "--store redis://x is not known"],
    ["a dataset that is not there", async () => ["--dataset", "no-such.jsonl"], "no-such.jsonl cannot be read"],
    ["a dataset without a line", async () => ["--dataset", await datasetOf()], "no line"],
    [
      "a dataset that no agent takes",
      async () => ["--dataset", await datasetOf({ x: 1 })],
      "tried: rooms, stories, math, facts",
    ],
    [
      "a dataset that two agents take",
      async () => ["--dataset", await datasetOf({ input: "a", target: 1, question: "b", answer: "c" })],
      "math, facts",
    ],
    [
      "a dataset with a broken line",
      async () => ["--dataset", await brokenDataset()],
      "tasks.jsonl:2 is not valid JSON",
    ],
  ])("%s", async (_what, parameters, message) => {
    const { code, stdout, stderr } = await runCli(await parameters());
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stdout).not.toContain("passed");
  });
});

async function brokenDataset(): Promise<string> {
  const file = join(await folder(), "tasks.jsonl");
  await writeFile(file, '{"input":"a","target":1}\n{broken\n');
  return file;
}

test("Ctrl-C ends with a partial report and exit code 130", async () => {
  const report = await folder();
  const { code, stdout } = await runCli(
    ["--scenario", "slow-agent", "--scenario", "happy-path", "--report", report],
    (text, kill) => {
      if (text.includes("slow-agent (facts): started")) kill("SIGINT");
    },
  );
  expect([code, stdout.includes("interrupted:")]).toEqual([130, true]);
  expect(JSON.parse(await readFile(join(report, "report.json"), "utf8")).verdict).toBe("interrupted");
});

test("the same seed gives the same report, apart from ids and times; another seed another one", async () => {
  const reportOf = async (seed: number): Promise<unknown> => {
    const report = await folder();
    await runCli(["--scenario", "happy-path", "--seed", String(seed), "--report", report]);
    const { runs } = JSON.parse(await readFile(join(report, "report.json"), "utf8"));
    return runs.map(
      (run: { scenario: string; agent: string; problems: string[]; report: { totals: Record<string, unknown> } }) => {
        const { durationsMs: _durations, ...totals } = run.report.totals;
        return { scenario: run.scenario, agent: run.agent, problems: run.problems, totals };
      },
    );
  };
  const [first, again, other] = await Promise.all([reportOf(7), reportOf(7), reportOf(8)]);
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
});
