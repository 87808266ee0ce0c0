// Versions, builds, packs and checks in a copy of the repository, and lists what would be published.
import { cp, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { mustRun, root } from "./workspace.ts";

if (!process.argv.includes("--dry-run")) {
  console.error(
    "Only `pnpm release --dry-run` exists: publishing needs credentials that are not part of the repository.",
  );
  process.exit(2);
}

/** Folders that the copy makes anew or shares. */
const left = new Set(["dist", "node_modules", ".cache", ".turbo"]);

async function copyRepository(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), "agentlightning-release-"));
  await cp(root, copy, { recursive: true, filter: (source) => !left.has(basename(source)) });
  // Links between workspace packages are relative, so that the copied ones stay inside the copy.
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  for (const parent of ["packages", "apps", "examples", "bench"]) {
    const children =
      parent === "bench" ? [parent] : (await readdir(join(copy, parent))).map((name) => `${parent}/${name}`);
    for (const child of children) {
      await cp(join(root, child, "node_modules"), join(copy, child, "node_modules"), {
        recursive: true,
        verbatimSymlinks: true,
      }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT") throw error;
      });
    }
  }
  return copy;
}

const copy = await copyRepository();
try {
  const step = async (name: string, program: string, args: readonly string[]): Promise<string> => {
    console.log(`--- ${name}`);
    const output = await mustRun(program, args, { cwd: copy });
    if (output.trim() !== "") console.log(output.trim());
    return output;
  };
  await step("version", "changeset", ["version"]);
  await step("build", "tsc", ["-b"]);
  await step("pack and check", process.execPath, ["scripts/check-packages.ts"]);
  await step("what would be published", process.execPath, ["scripts/list-packs.ts"]);
} finally {
  await rm(copy, { recursive: true, force: true });
}
