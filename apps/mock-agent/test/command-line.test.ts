import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const entry = join(import.meta.dirname, "../src/main.ts");
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "harness-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, lines: readonly unknown[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return path;
}

/** Runs the command line as a process of its own; `preload` is code that runs before it. */
function start(parameters: readonly string[], preload = "") {
  const child = spawn(
    process.execPath,
    [
      "--conditions=@agentlightning/source",
      "--import",
      `data:text/javascript,${encodeURIComponent(preload)}`,
      entry,
      ...parameters,
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const ended = (async () => {
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { code: child.exitCode, stdout, stderr };
  })();
  return { child, ended };
}

const run = (parameters: readonly string[], preload?: string) => start(parameters, preload).ended;
const roomTask = (expected_choice: string) => ({
  id: "r1",
  task_input: {
    date: "2026-03-02",
    time: "10:00",
    duration_min: 30,
    attendees: 500,
    needs: [],
    accessible_required: false,
  },
  expected_choice,
});

async function readReport(report: string): Promise<unknown> {
  return JSON.parse(await readFile(join(report, "report.json"), "utf8"));
}

describe("the exit code", { timeout: 60_000 }, () => {
  test("is 1 when what came out is not what should, and the report is written all the same", async () => {
    const report = join(folder, "failed");
    const dataset = await file("wrong.jsonl", [roomTask("Ballroom")]);
    const { code, stdout } = await run(["--dataset", dataset, "--report", report]);
    expect(code).toBe(1);
    expect(stdout).toContain("happy-path (rooms): the mean reward is 0 instead of 1");
    expect(await readReport(report)).toMatchObject({ verdict: "failed", totals: { rollouts: 1, succeeded: 1 } });
  });

  test("is not 0 when an agent ends the process with process.exit(0)", async () => {
    const { code, stderr } = await run(["--agent", "facts"], "globalThis.fetch = () => process.exit(0);");
    expect(code).toBe(2);
    expect(stderr).toContain("ended before the run reached a verdict");
  });

  test("is 130 on Ctrl-C, with the partial report printed and written", async () => {
    const report = join(folder, "interrupted");
    const { child, ended } = start(
      ["--agent", "facts", "--report", report],
      `globalThis.fetch = (_, { signal }) => {
        process.kill(process.pid, "SIGINT");
        globalThis.fetch = (_, { signal }) => hang(signal);
        return hang(signal);
      };
      const hang = (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));`,
    );
    const { code, stdout } = await ended;
    expect({ code, signal: child.signalCode }).toEqual({ code: 130, signal: null });
    expect(stdout).toContain("interrupted: 0 of ");
    expect(await readReport(report)).toMatchObject({ verdict: "interrupted", totals: { succeeded: 0 } });
  });
});
