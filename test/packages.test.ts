import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, relative } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { entriesOf, publishedPackages, root, type WorkspacePackage } from "../scripts/workspace.ts";
import { arrows } from "./arrows.ts";
import { type SourceFile, sourceFiles } from "./imports.ts";

const scope = "@agentlightning/";
const shortName = (name: string): string => name.slice(scope.length);
const ours = (names: Iterable<string>): string[] =>
  [...names].filter((name) => name.startsWith(scope)).map((name) => shortName(name));
const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
const outside = (names: Iterable<string>, allowed: readonly string[]): string[] =>
  [...new Set(names)].filter((name) => !allowed.includes(name));

/** `file imports specifier`, for each import that breaks a rule. */
function breaches(files: readonly SourceFile[], breaks: (specifier: string) => boolean): string[] {
  return files.flatMap(({ file, imports }) =>
    imports.filter((specifier) => breaks(specifier)).map((specifier) => `${relative(root, file)} imports ${specifier}`),
  );
}

test("every package stands in the table of arrows, and the table names no other", () => {
  expect(publishedPackages.map(({ manifest }) => shortName(manifest.name)).toSorted()).toEqual(
    Object.keys(arrows).toSorted(),
  );
});

test("the API reference covers every entry, and the build every package", () => {
  const read = (file: string): unknown => ts.readConfigFile(join(root, file), (it) => readFileSync(it, "utf8")).config;
  const { entryPoints } = read("typedoc.json") as { entryPoints: readonly string[] };
  const { references } = read("tsconfig.json") as { references: readonly { path: string }[] };
  const entries = publishedPackages.flatMap((item) => entriesOf(item).map(([, source]) => relative(root, source)));
  expect(new Set(entryPoints)).toEqual(new Set(entries));
  expect(new Set(references.map(({ path }) => path))).toEqual(new Set(publishedPackages.map(({ path }) => path)));
});

test("the arrows of the table form no cycle", () => {
  const visit = (name: string, path: readonly string[]): void => {
    expect(path).not.toContain(name);
    for (const next of arrows[name]?.imports ?? []) visit(next, [...path, name]);
  };
  for (const name of Object.keys(arrows)) visit(name, []);
});

describe.each(publishedPackages.map((item): [string, WorkspacePackage] => [item.path, item]))("%s", (path, item) => {
  const { folder, manifest } = item;
  const name = shortName(manifest.name);
  const arrow = arrows[name];
  if (arrow === undefined) throw new Error(`${name} is missing in test/arrows.ts`);
  const testImports = [...arrow.imports, ...(arrow.testImports ?? []), name];
  const files = [
    ...sourceFiles(join(folder, "src")),
    ...sourceFiles(join(folder, "test")).map((file) => ({ ...file, isTest: true })),
  ];
  const code = files.filter(({ isTest }) => !isTest);
  const runtimeDependencies = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });

  test("its manifest depends only on packages that the table allows", () => {
    expect(outside(ours(runtimeDependencies), arrow.imports)).toEqual([]);
    expect(outside(ours(Object.keys(manifest.devDependencies ?? {})), testImports)).toEqual([]);
  });

  test("its code imports only packages that the table allows, through public entries", () => {
    expect(breaches(code, (it) => it.startsWith(scope) && !arrow.imports.includes(shortName(packageOf(it))))).toEqual(
      [],
    );
    expect(breaches(files, (it) => it.startsWith(scope) && !testImports.includes(shortName(packageOf(it))))).toEqual(
      [],
    );
    expect(breaches(files, (it) => it.startsWith(scope) && it.includes("/src/"))).toEqual([]);
    expect(breaches(files, (it) => it.startsWith("..") && !join(folder, "src", it).startsWith(folder))).toEqual([]);
  });

  test("its code imports only what its manifest declares", () => {
    const declared = [manifest.name, ...runtimeDependencies];
    expect(breaches(code, (it) => !it.startsWith(".") && !isBuiltin(it) && !declared.includes(packageOf(it)))).toEqual(
      [],
    );
  });

  test("it uses Node built-ins only where the table says so, and names them node:", () => {
    const { nodeBuiltins } = arrow;
    const universal =
      nodeBuiltins === "all"
        ? []
        : code.filter(({ file }) => !nodeBuiltins.some((part) => file.startsWith(join(folder, "src", part, "/"))));
    expect(breaches(universal, (it) => isBuiltin(it))).toEqual([]);
    expect(breaches(files, (it) => isBuiltin(it) && !it.startsWith("node:"))).toEqual([]);
  });

  test("its project references are the workspace packages it depends on", () => {
    const { config } = ts.readConfigFile(join(folder, "tsconfig.json"), (file) => readFileSync(file, "utf8"));
    const references = (config as { references?: readonly { path: string }[] }).references ?? [];
    expect(
      new Set(references.map((reference) => relative(join(root, "packages"), join(folder, reference.path)))),
    ).toEqual(new Set(ours(Object.keys({ ...manifest.dependencies }))));
  });

  test("its manifest has the shape that all have", () => {
    expect({
      license: manifest.license,
      type: manifest.type,
      sideEffects: manifest.sideEffects,
      engines: manifest.engines,
      files: manifest.files,
      scripts: manifest.scripts,
      publishConfig: manifest["publishConfig"],
      main: manifest["main"],
    }).toEqual({
      license: "MIT",
      type: "module",
      sideEffects: false,
      engines: { node: arrow.node },
      files: [
        "dist",
        "src",
        "!dist/.tsbuildinfo",
        "!src/**/*.test.ts",
        "!src/**/*.test-d.ts",
        ...(manifest.bin === undefined ? [] : ["bin"]),
      ],
      scripts: { build: "tsc -b" },
      publishConfig: { access: "public" },
      main: undefined,
    });
    expect(manifest.description).toMatch(/\.$/);
  });

  test("each entry has source, types and code, and its source exists", () => {
    const { "./package.json": self, ...entries } = manifest.exports ?? {};
    expect(self).toBe("./package.json");
    for (const [subpath, target] of Object.entries(entries)) {
      const source = typeof target === "string" ? target : target["@agentlightning/source"];
      const base = source?.replace(/^\.\/src\/(.*)\.ts$/, "$1");
      expect([subpath, target]).toEqual([
        subpath,
        { "@agentlightning/source": `./src/${base}.ts`, types: `./dist/${base}.d.ts`, default: `./dist/${base}.js` },
      ]);
      expect(existsSync(join(folder, `src/${base}.ts`)), `${path} ${subpath}`).toBe(true);
    }
  });

  test("dependencies are pinned in development and ranges in publication", () => {
    const workspace = ours(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }));
    const ranges = { ...manifest.devDependencies, ...manifest.dependencies };
    expect(workspace.map((it) => ranges[scope + it])).toEqual(workspace.map(() => "workspace:^"));
  });

  test("it has a README and a licence goes with it", () => {
    expect(existsSync(join(folder, "README.md"))).toBe(true);
    expect(existsSync(join(folder, "LICENSE"))).toBe(true);
  });

  test("its code holds no suppression and no forced cast", () => {
    const hits = files.flatMap(({ file }) =>
      [
        ...readFileSync(file, "utf8").matchAll(/as unknown as|@ts-(?:ignore|nocheck)|oxlint-disable|eslint-disable/g),
      ].map(([match]) => `${relative(root, file)}: ${match}`),
    );
    expect(hits).toEqual([]);
  });
});
