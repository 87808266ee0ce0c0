// Takes every TypeScript snippet out of the Markdown pages and makes it a module that can be checked and run. A fence
// that names a file (```ts file=driver.ts) is that file of the page's own project, whole: checked, and run by its own test.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { cacheFolder, publishedPackages, root } from "./workspace.ts";

export interface Snippet {
  /** Page and line, as a person looks for it. */
  readonly place: string;
  /** The module it became. */
  readonly file: string;
}

function pages(): string[] {
  const below = (parent: string): string[] =>
    existsSync(join(root, parent))
      ? readdirSync(join(root, parent))
          .filter((name) => name.endsWith(".md"))
          .map((name) => join(root, parent, name))
      : [];
  const readmes = publishedPackages.map((item) => join(item.folder, "README.md"));
  return [join(root, "README.md"), ...below("docs"), ...readmes].filter((file) => existsSync(file));
}

/** Makes what the published packages can import importable from the snippets. */
function linkPackages(folder: string): void {
  const link = (name: string, target: string): void => {
    const place = join(folder, "node_modules", name);
    if (existsSync(place) || !existsSync(target)) return;
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(target, place, "junction");
  };
  for (const { folder: home, manifest } of publishedPackages) {
    link(manifest.name, home);
    const names = { ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.devDependencies };
    for (const name of Object.keys(names)) link(name, join(home, "node_modules", name));
  }
}

function emptyFolder(folderName: string): string {
  const folder = join(cacheFolder, folderName);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  linkPackages(folder);
  return folder;
}

/** A page's path as the name of a file. */
const nameOf = (page: string): string => relative(root, page).replaceAll(/[\\/.]/g, "-");

/** The files that a page names. */
function namedFiles(page: string): readonly { readonly name: string; readonly text: string }[] {
  return [...readFileSync(page, "utf8").matchAll(/^```ts file=(\S+)\n(.*?)^```$/gms)].map(
    ([, name = "", text = ""]) => ({ name, text }),
  );
}

/** Writes the files that a page names into a folder below the cache, emptied first. */
export function writePageFiles(page: string, folderName: string): { readonly folder: string; readonly lines: number } {
  const folder = emptyFolder(folderName);
  const files = namedFiles(join(root, page));
  for (const { name, text } of files) writeFileSync(join(folder, name), text);
  return { folder, lines: files.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0) };
}

/** Writes one module per snippet into a folder below the cache, emptied first, and says where each came from. */
export function writeSnippets(folderName: string): readonly Snippet[] {
  const folder = emptyFolder(folderName);
  return pages().flatMap((page) => {
    const text = readFileSync(page, "utf8");
    const path = relative(root, page);
    for (const file of namedFiles(page)) {
      mkdirSync(join(folder, nameOf(page)), { recursive: true });
      writeFileSync(join(folder, nameOf(page), file.name), file.text);
    }
    return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map((match): Snippet => {
      const line = text.slice(0, match.index).split("\n").length;
      const file = join(folder, `${nameOf(page)}-${line}.ts`);
      writeFileSync(file, match[1] ?? "");
      return { place: `${path}:${line}`, file };
    });
  });
}

if (import.meta.main) console.log(`${writeSnippets("snippets").length} snippets`);
