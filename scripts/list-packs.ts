// Lists the tarballs that scripts/check-packages.ts made: name, version, size and files.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, mustRun, publishedPackages } from "./workspace.ts";

for (const { manifest } of publishedPackages) {
  const folder = join(cacheFolder, "packs", manifest.name.replace("/", "+"));
  const [name] = existsSync(folder) ? readdirSync(folder) : [];
  if (name === undefined) throw new Error(`${manifest.name} has not been packed`);
  const file = join(folder, name);
  const entries = (await mustRun("tar", ["-tzf", file])).trim().split("\n").length;
  const kilobytes = (statSync(file).size / 1000).toFixed(1);
  console.log(`${manifest.name}@${manifest.version}  ${kilobytes} kB, ${entries} files`);
}
