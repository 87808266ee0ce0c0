// Runs every example as its README says (`start`), on the sources of the workspace, and fails when one fails.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder, examples, publishedPackages, run, sourceCondition } from "./workspace.ts";

/** Programs of our packages, run from their sources: in a fresh clone there is no `dist` that a link could lead to. */
const programs = join(cacheFolder, "bin");
await mkdir(programs, { recursive: true });
for (const { folder, manifest } of publishedPackages) {
  for (const name of Object.keys(manifest.bin ?? {})) {
    const source = join(folder, "src/main.ts");
    await writeFile(join(programs, name), `#!/bin/sh\nexec node '${source}' "$@"\n`, { mode: 0o755 });
  }
}

let failures = 0;
for (const { folder, path, manifest } of examples) {
  const { code, output } = await run("sh", ["-c", manifest.scripts?.["start"] ?? "exit 2"], {
    cwd: folder,
    env: {
      NODE_OPTIONS: `--conditions=${sourceCondition}`,
      PATH: `${programs}:${process.env["PATH"]}`,
    },
  });
  console.log(`${code === 0 ? "ok    " : "FAILED"} ${path}`);
  if (code === 0) continue;
  failures += 1;
  console.log(output);
}
if (examples.length === 0) console.error("there are no examples");
if (failures > 0 || examples.length === 0) process.exit(1);
