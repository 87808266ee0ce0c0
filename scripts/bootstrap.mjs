// Runs a script of package.json from a fresh clone: installs what is missing, then puts the repository's own Node first.
// Plain JavaScript without dependencies, because it runs on the Node that happens to be there (20 or newer).
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const stampFile = join(root, "node_modules", ".bootstrap-stamp");
const isWindows = process.platform === "win32";
const nodeFolder = join(root, "node_modules", "node", "bin");

const [name, ...flags] = process.argv.slice(2);
const script = manifest.scripts[name];
if (script === undefined) {
  console.error(`package.json has no script named ${name}`);
  process.exit(2);
}

install();
run();

function workspaceManifests() {
  const folders = ["packages", "apps", "examples"].flatMap((folder) =>
    existsSync(join(root, folder))
      ? readdirSync(join(root, folder))
          .toSorted()
          .map((child) => join(folder, child))
      : [],
  );
  return ["bench", ...folders].map((folder) => join(folder, "package.json"));
}

function installationHash() {
  const hash = createHash("sha256");
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml", "package.json", ...workspaceManifests()]) {
    if (existsSync(join(root, file)))
      hash
        .update(file)
        .update("\0")
        .update(readFileSync(join(root, file)))
        .update("\0");
  }
  return hash.update(`${process.platform}-${process.arch}`).digest("hex");
}

function install() {
  const hash = installationHash();
  const isCurrent = existsSync(stampFile) && readFileSync(stampFile, "utf8") === hash && existsSync(nodeFolder);
  if (isCurrent) return;
  console.error(`Installing dependencies with ${manifest.packageManager} …`);
  const result = spawnSync("npx", ["--yes", manifest.packageManager, "install", "--frozen-lockfile"], {
    cwd: root,
    // Output goes to stderr, so that a script's own stdout stays clean.
    stdio: ["ignore", 2, 2],
    env: { ...process.env, npm_config_confirm_modules_purge: "false" },
    shell: isWindows,
  });
  if (result.error !== undefined) {
    console.error(`npx could not be started: ${result.error.message}`);
    process.exit(2);
  }
  if (result.signal !== null) process.exit(128 + constants.signals[result.signal]);
  if (result.status !== 0) process.exit(result.status ?? 2);
  writeFileSync(stampFile, hash);
}

function quote(flag) {
  return `'${flag.replaceAll("'", "'\\''")}'`;
}

function run() {
  const path = [nodeFolder, join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter);
  const options = { cwd: root, stdio: "inherit", env: { TURBO_TELEMETRY_DISABLED: "1", ...process.env, PATH: path } };
  const isSimple = !/[;&|]/.test(script);
  const command = [isSimple ? `exec ${script}` : script, ...flags.map(quote)].join(" ");
  // In a process group of its own the child gets each signal exactly once: from here, and not also from the terminal.
  const child = isWindows
    ? spawn([script, ...flags].join(" "), { ...options, shell: true })
    : spawn("sh", ["-c", command], { ...options, detached: true });

  let lastSignalAt = Number.NEGATIVE_INFINITY;
  const forward = (signal) => {
    // A terminal's Ctrl-C comes twice, from the terminal and from npm; the second one a person types comes later.
    const now = performance.now();
    if (now - lastSignalAt < 250) return;
    lastSignalAt = now;
    try {
      if (isWindows) child.kill(signal);
      else process.kill(-child.pid, signal);
    } catch (error) {
      if (error.code !== "ESRCH") throw error;
    }
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, forward);

  child.on("error", (error) => {
    console.error(`${name} could not be started: ${error.message}`);
    process.exit(2);
  });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
