// What a user installs: publint and attw on the packed tarballs, and the size of each entry.
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { packAll, type Tarball } from "./pack.ts";
import { sizeBudgetsKb } from "./size-budgets.ts";
import { entriesOf, publishedPackages, run, sourceCondition, type WorkspacePackage } from "./workspace.ts";

const problems: string[] = [];

async function checkTarball({ item, file }: Tarball): Promise<void> {
  const results = await Promise.all([
    run("publint", ["run", file, "--strict"]),
    run("attw", [file, "--profile", "esm-only", "--no-emoji"]),
  ]);
  for (const { code, output } of results) if (code !== 0) problems.push(`${item.path}\n${output}`);
}

async function sizeOf(entry: string, { manifest }: WorkspacePackage): Promise<number> {
  const bundle = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node22",
    conditions: [sourceCondition],
    external: Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
    logLevel: "silent",
  });
  return gzipSync(bundle.outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).byteLength;
}

async function checkSizes(): Promise<void> {
  const unused = new Set(Object.keys(sizeBudgetsKb));
  for (const item of publishedPackages) {
    for (const [subpath, source] of entriesOf(item)) {
      const specifier = item.manifest.name + subpath.slice(1);
      const budget = sizeBudgetsKb[specifier];
      unused.delete(specifier);
      if (budget === undefined) {
        problems.push(`${specifier} has no size budget in scripts/size-budgets.ts`);
        continue;
      }
      const bytes = await sizeOf(source, item).catch((error: unknown) => {
        problems.push(`${specifier} can't be bundled: ${String(error)}`);
        return 0;
      });
      console.log(`${specifier}: ${(bytes / 1000).toFixed(1)} of ${budget} kB`);
      if (bytes > budget * 1000) problems.push(`${specifier} weighs ${bytes} bytes; its budget is ${budget} kB`);
    }
  }
  for (const specifier of unused) problems.push(`${specifier} has a size budget, but no such entry exists`);
}

await checkSizes();
for (const tarball of await packAll()) await checkTarball(tarball);
if (problems.length > 0) {
  console.error(problems.join("\n\n"));
  process.exit(1);
}
