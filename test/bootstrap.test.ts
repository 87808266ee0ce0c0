import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { root } from "../scripts/workspace.ts";

let clone: string;

const child = `
process.on("SIGINT", () => { console.log("got SIGINT"); setTimeout(() => process.exit(130), 50); });
if (process.argv[2] === "wait") { console.log("ready"); setInterval(() => {}, 1000); }
else { console.log(JSON.stringify(process.argv.slice(2))); process.exit(7); }
`;

// Stands for npx: notes that it was called, and installs a "Node".
const npx = `#!/bin/sh
echo "$@" >> installs
mkdir -p node_modules/node/bin
`;

beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), "bootstrap-"));
  mkdirSync(join(clone, "scripts"));
  mkdirSync(join(clone, "programs"));
  cpSync(join(root, "scripts/bootstrap.mjs"), join(clone, "scripts/bootstrap.mjs"));
  writeFileSync(join(clone, "child.cjs"), child);
  writeFileSync(join(clone, "programs/npx"), npx);
  chmodSync(join(clone, "programs/npx"), 0o755);
  writeManifest("1.0.0");
});

afterEach(() => rmSync(clone, { recursive: true, force: true }));

function writeManifest(version: string): void {
  const manifest = { version, packageManager: "pnpm@10.34.8", scripts: { child: "node child.cjs" } };
  writeFileSync(join(clone, "package.json"), JSON.stringify(manifest));
}

function start(...args: string[]): ChildProcess {
  const path = [join(clone, "programs"), dirname(process.execPath), process.env["PATH"]].join(":");
  return spawn(process.execPath, [join(clone, "scripts/bootstrap.mjs"), ...args], {
    env: { ...process.env, PATH: path },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function outcome(started: ChildProcess): Promise<{ readonly code: unknown; readonly stdout: string }> {
  let stdout = "";
  started.stdout?.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  const [code] = (await once(started, "close")) as unknown[];
  return { code, stdout };
}

const installs = (): string[] =>
  existsSync(join(clone, "installs")) ? readFileSync(join(clone, "installs"), "utf8").trim().split("\n") : [];

test("flags reach the script as they were given, and its exit code comes back", async () => {
  const flags = ["--a", "two words", "it's", "$HOME", ""];
  expect(await outcome(start("child", ...flags))).toEqual({ code: 7, stdout: `${JSON.stringify(flags)}\n` });
});

test("it installs with the pinned pnpm, and again only when a manifest changed", async () => {
  const install = "--yes pnpm@10.34.8 install --frozen-lockfile";
  await outcome(start("child"));
  await outcome(start("child"));
  expect(installs()).toEqual([install]);
  writeManifest("1.0.1");
  await outcome(start("child"));
  expect(installs()).toEqual([install, install]);
});

test("one Ctrl-C that arrives twice reaches the script once, which decides the exit code", async () => {
  const started = start("child", "wait");
  const ended = outcome(started);
  await once(started.stdout ?? started, "data");
  started.kill("SIGINT");
  started.kill("SIGINT");
  expect(await ended).toEqual({ code: 130, stdout: "ready\ngot SIGINT\n" });
});

test("a script that doesn't exist is exit code 2, and nothing is installed", async () => {
  expect(await outcome(start("nothing"))).toEqual({ code: 2, stdout: "" });
  expect(installs()).toEqual([]);
});
