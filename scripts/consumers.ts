// A user's project per example: it installs the packed tarballs that its imports name and nothing else, type-checks
// with each supported TypeScript and runs on each supported Node.
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packAll, type Tarball } from "./pack.ts";
import { examples, mustRun, run, type WorkspacePackage } from "./workspace.ts";

const compilers: Readonly<Record<string, string>> = { "5.9": "5.9.3", "6.0": "6.0.3", "7.0": "7.0.2" };
const nodeTypes = "24.19.4";

/** Never in a tree that didn't ask for it. */
const unwanted = [/^mongodb$/, /^(hono|fastify|express)$/, /^@hono\//, /^@opentelemetry\/sdk-/, /^vitest$/];

const compilerOptions = {
  module: "NodeNext",
  target: "ES2023",
  lib: ["ES2024", "ESNext.Disposable"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: false,
  allowImportingTsExtensions: true,
};

const folder = join(tmpdir(), `agentlightning-consumers-${process.pid}`);
const problems: string[] = [];
let checks = 0;

async function check(name: string, work: () => Promise<string | undefined>): Promise<void> {
  checks += 1;
  const problem = await work().catch((error: unknown) => String(error));
  console.log(`${problem === undefined ? "ok    " : "FAILED"} ${name}`);
  if (problem !== undefined) problems.push(`${name}\n${problem}`);
}

async function command(program: string, args: readonly string[], cwd: string): Promise<string | undefined> {
  const { code, output } = await run(program, args, { cwd, env: { NODE_OPTIONS: "" } });
  return code === 0 ? undefined : output;
}

/** The project: the example's files, and a manifest in which every package of ours is its tarball. */
async function createProject(
  { folder: source, manifest }: WorkspacePackage,
  tarballs: readonly Tarball[],
): Promise<string> {
  const project = join(folder, manifest.name);
  await mkdir(project, { recursive: true });
  for (const name of await readdir(source)) {
    if (name !== "node_modules" && name !== "package.json")
      await cp(join(source, name), join(project, name), { recursive: true });
  }
  const files = Object.fromEntries(tarballs.map(({ item, file }) => [item.manifest.name, `file:${file}`]));
  const named = manifest.dependencies ?? {};
  const dependencies = Object.fromEntries(Object.entries(named).map(([name, range]) => [name, files[name] ?? range]));
  // A direct dependency may not be overridden with another value, hence only those that come along.
  const overrides = Object.fromEntries(Object.entries(files).filter(([name]) => !(name in named)));
  const json = { private: true, type: "module", scripts: manifest.scripts, dependencies, overrides };
  await writeFile(join(project, "package.json"), JSON.stringify(json, null, 2));
  await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }, null, 2));
  return project;
}

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** What our packages bring into the tree: a package that the user named answers for what it brings itself. */
async function broughtByUs(project: string, named: ReadonlySet<string>): Promise<readonly string[]> {
  const text = await readFile(join(project, "package-lock.json"), "utf8");
  const { packages } = JSON.parse(text) as { packages: Readonly<Record<string, LockedPackage>> };
  const brought = new Set(Object.keys(packages).filter((path) => path.startsWith("node_modules/@agentlightning/")));
  for (const path of brought) {
    const locked = packages[path];
    for (const name of Object.keys({ ...locked?.dependencies, ...locked?.peerDependencies })) {
      // An optional peer is there only because somebody else brought it.
      const isBrought = `node_modules/${name}` in packages && locked?.peerDependenciesMeta?.[name]?.optional !== true;
      if (isBrought && !named.has(name)) brought.add(`node_modules/${name}`);
    }
  }
  return [...brought].map((path) => path.slice("node_modules/".length));
}

async function checkConsumer(example: WorkspacePackage, tarballs: readonly Tarball[]): Promise<void> {
  const { path, manifest } = example;
  const project = await createProject(example, tarballs);
  let isInstalled = false;
  await check(`${path}: installs`, async () => {
    const failure = await command("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], project);
    isInstalled = failure === undefined;
    return failure;
  });
  if (!isInstalled) return;

  await check(`${path}: its tree holds nothing that it didn't ask for`, async () => {
    const named = namedBy(manifest.dependencies ?? {}, tarballs);
    const brought = await broughtByUs(project, named);
    const surplus = brought.filter((name) => unwanted.some((pattern) => pattern.test(name)));
    return surplus.length === 0 ? undefined : `installed, and not named: ${surplus.join(", ")}`;
  });

  const hasTypeScript = (await readdir(project)).some((name) => name.endsWith(".ts"));
  for (const version of hasTypeScript ? Object.keys(compilers) : []) {
    const compiler = join(folder, `typescript-${version}`);
    await check(`${path}: type-checks with TypeScript ${version}`, () =>
      command(
        join(compiler, "node_modules/.bin/tsc"),
        ["-p", project, "--typeRoots", join(compiler, "node_modules/@types")],
        project,
      ),
    );
  }

  const start = manifest.scripts?.["start"] ?? "exit 2";
  await check(`${path}: runs on Node ${process.versions.node}`, () => command("npm", ["run", "start"], project));
  const onNode22 = start.replace(/^(node |mock-agent )/, (program) =>
    program === "node " ? "npx --yes node@22 " : "npx --yes node@22 node_modules/.bin/mock-agent ",
  );
  await check(`${path}: runs on Node 22`, () => command("sh", ["-c", onNode22], project));
}

/** What a manifest names. Only the harness brings an SDK along, since it traces its own agents; a library never may. */
function namedBy(dependencies: Readonly<Record<string, string>>, tarballs: readonly Tarball[]): ReadonlySet<string> {
  const names = Object.keys(dependencies);
  const harness = tarballs.find(({ item }) => item.path === "apps/mock-agent")?.item.manifest;
  const isHarnessNamed = harness !== undefined && names.includes(harness.name);
  return new Set(
    [...names, ...(isHarnessNamed ? Object.keys(harness.dependencies ?? {}) : [])].filter(
      (name) => !name.startsWith("@agentlightning/"),
    ),
  );
}

async function installCompilers(): Promise<void> {
  for (const [name, version] of Object.entries(compilers)) {
    const place = join(folder, `typescript-${name}`);
    await mkdir(place, { recursive: true });
    await writeFile(join(place, "package.json"), '{ "private": true }');
    await mustRun("npm", ["install", "--no-audit", "--no-fund", `typescript@${version}`, `@types/node@${nodeTypes}`], {
      cwd: place,
    });
  }
}

try {
  await mustRun("tsc", ["-b"]);
  await mkdir(folder, { recursive: true });
  const tarballs = await packAll(join(folder, "packs"));
  await installCompilers();
  for (const example of examples) await checkConsumer(example, tarballs);
} finally {
  await rm(folder, { recursive: true, force: true });
}
if (problems.length > 0) console.error(`\n${problems.join("\n\n")}`);
console.log(`${checks - problems.length} of ${checks} consumer checks passed`);
if (problems.length > 0 || checks === 0) process.exit(1);
