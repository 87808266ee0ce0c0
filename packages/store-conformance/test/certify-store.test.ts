import { execFile } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const entry = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const brokenCase = "what runners hand back goes to the head, first handed back first";

interface CliEnd {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url));

/** Runs the command as a user would. */
function certify(...parameters: readonly string[]): Promise<CliEnd> {
  return new Promise((resolve) => {
    const command = ["--conditions=@agentlightning/source", entry, ...parameters];
    execFile(process.execPath, command, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stdout, stderr });
    });
  });
}

async function fileOf(value: unknown): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), "certify-")), "file.json");
  await writeFile(file, JSON.stringify(value));
  return file;
}

describe("exit code 0: certified", () => {
  test("a good store gets a certificate with a line for each aspect, what it offers, and what was left out and why", async () => {
    const { code, stdout, stderr } = await certify(fixture("good"), "--seed", "7");
    expect([code, stdout.match(/^queue +\d+ +0 +0 +0$/m)?.length]).toEqual([0, 1]);
    expect(stdout).toContain("Left out\n  durability: what was stored is there");
    expect(stdout).toContain("\n      requires durable\n");
    expect(stdout).toMatch(/offers: driver, many handles, injected clock\nseed: 7\nstore-memory is certified\n$/);
    expect(stderr).toMatch(/^queue …\nattempts …\n/);
  });

  test("a whole store is judged without its driver", async () => {
    const { code, stdout } = await certify(fixture("whole-store"));
    expect(code).toBe(0);
    expect(stdout).toMatch(/offers: many handles, injected clock\n/);
    expect(stdout).toContain("requires driver");
  });

  test("--json - leaves standard output to the certificate as JSON", async () => {
    const { code, stdout, stderr } = await certify(fixture("good"), "--json", "-", "--aspect", "two-handles");
    const { results, seed, tally, ...rest } = JSON.parse(stdout);
    expect([code, rest, typeof seed]).toEqual([
      0,
      { store: "store-memory", isCertified: true, offers: ["driver", "many handles", "injected clock"] },
      "number",
    ]);
    const passed = results.length;
    expect(new Set(results.map(({ aspect }: { aspect: string }) => aspect))).toEqual(new Set(["two handles"]));
    expect(tally).toEqual(
      ["two handles", "all"].map((aspect) => ({ aspect, passed, deviates: 0, failed: 0, "left out": 0 })),
    );
    expect(stderr).toContain("store-memory is certified in two handles only");
  });

  test("a failure that is announced deviates, with its reason", async () => {
    const deviations = await fileOf({ [brokenCase]: "this store keeps one line only" });
    const { code, stdout } = await certify(fixture("broken"), "--aspect", "queue", "--deviations", deviations);
    expect(code).toBe(0);
    expect(stdout).toContain(`Deviates, as announced\n  queue: ${brokenCase}\n      this store keeps one line only\n`);
  });

  test("--help names the aspects", async () => {
    const { code, stdout } = await certify("--help");
    expect([code, stdout.includes("sequence-numbers")]).toEqual([0, true]);
  });
});

describe("exit code 1: not certified", () => {
  test("a broken store's certificate names the case, says why, and where its data is", async () => {
    const json = await fileOf({});
    const { code, stdout, stderr } = await certify(fixture("broken"), "--json", json);
    expect(code).toBe(1);
    expect(stdout).toContain(`Failed\n  queue: ${brokenCase}\n`);
    expect(stdout).toMatch(/\(broken; its data is left at: memory of conformance-\w+-\d+\)/);
    expect(stdout).toMatch(/\nbroken is not certified: \d+ of \d+ cases failed\n$/);
    expect(stderr).toContain(`  failed: ${brokenCase}\n`);
    const { isCertified, results } = JSON.parse(await readFile(json, "utf8"));
    const failed = results.filter(({ outcome }: { outcome: string }) => outcome === "failed");
    expect(isCertified).toBe(false);
    expect(failed.map(({ name }: { name: string }) => name)).toContain(brokenCase);
  });

  test("an announced deviation that is none has to be struck from the list", async () => {
    const deviations = await fileOf({ [brokenCase]: "thought to fail" });
    const { code, stdout } = await certify(fixture("good"), "--aspect", "queue", "--deviations", deviations);
    expect(code).toBe(1);
    expect(stdout).toContain("but the store passes it: strike it from the list");
  });
});

describe("exit code 2: could not be judged", () => {
  test.each([
    ["no fixture", [], "missing required argument 'fixture'"],
    ["a missing file", ["missing.ts"], "missing.ts can't be loaded"],
    ["a module without a fixture", [fixture("no-fixture")], "its default export must be a StoreFixture"],
    ["an unknown flag", [fixture("good"), "--fast"], "unknown option '--fast'"],
    ["a seed that is no number", [fixture("good"), "--seed", "x"], "It must be a whole number from 0."],
    ["an unknown aspect", [fixture("good"), "--aspect", "speed"], "It must be one of queue, attempts,"],
    ["deviations that can't be read", [fixture("good"), "--deviations", "missing.json"], "missing.json can't be read"],
    ["a process that is ended too early", [fixture("leaver")], "ended before the suite was over"],
  ])("%s", async (_, parameters, message) => {
    const { code, stdout, stderr } = await certify(...parameters);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });

  test("a deviation that names no case", async () => {
    const { code, stderr } = await certify(fixture("good"), "--deviations", await fileOf({ nothing: "?" }));
    expect([code, stderr]).toEqual([2, 'deviations: the suite has no case "nothing"\n']);
  });
});
