// Runs every example as its README says (`start`), on the sources of the workspace, and fails when one fails.
import { examples, run, sourceCondition } from "./workspace.ts";

let failures = 0;
for (const { folder, path, manifest } of examples) {
  const { code, output } = await run("sh", ["-c", manifest.scripts?.["start"] ?? "exit 2"], {
    cwd: folder,
    env: {
      NODE_OPTIONS: `--conditions=${sourceCondition}`,
      PATH: `${folder}/node_modules/.bin:${process.env["PATH"]}`,
    },
  });
  console.log(`${code === 0 ? "ok    " : "FAILED"} ${path}`);
  if (code === 0) continue;
  failures += 1;
  console.log(output);
}
if (examples.length === 0) console.error("there are no examples");
if (failures > 0 || examples.length === 0) process.exit(1);
