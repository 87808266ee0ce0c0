// The public API of each package as a page in the repository, so that every change to it shows in a diff.
// Without --write it checks that the pages are current. It reads the built declarations.
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { reportEntry } from "./api-report.ts";
import { entriesOf, publishedPackages, type WorkspacePackage } from "./workspace.ts";

const write = process.argv.includes("--write");

function reportPackage(item: WorkspacePackage): string {
  const sections = entriesOf(item).map(([subpath, source]) => {
    const declarations = join(item.folder, relative(item.folder, source).replace(/^src(.*)\.ts$/, "dist$1.d.ts"));
    const body = existsSync(declarations) ? reportEntry(declarations) : "// not built";
    return `## \`${item.manifest.name}${subpath.slice(1)}\`\n\n\`\`\`typescript\n${body}\n\`\`\`\n`;
  });
  return `# API of ${item.manifest.name}\n\nWritten by \`pnpm api\`; do not edit.\n\n${sections.join("\n")}`;
}

let stale = 0;
for (const item of publishedPackages) {
  const file = join(item.folder, "etc", `${item.manifest.name.replace(/.*\//, "")}.api.md`);
  const report = reportPackage(item);
  const current = existsSync(file) ? await readFile(file, "utf8") : undefined;
  if (current === report) continue;
  if (write) {
    await mkdir(join(item.folder, "etc"), { recursive: true });
    await writeFile(file, report);
  } else {
    stale += 1;
    console.error(`${item.path}: the API differs from its report; run \`pnpm api\` and commit the difference`);
  }
}
if (stale > 0) process.exit(1);
