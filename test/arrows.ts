// Who may import whom. The one table that the checks of manifests, imports and project references read.
export interface Arrow {
  /** Workspace packages that its code may import. */
  readonly imports: readonly string[];
  /** Workspace packages that its tests may import besides. */
  readonly testImports?: readonly string[];
  /** Folders of `src/` whose code may use Node built-ins; `"all"` for a package that runs on Node alone. */
  readonly nodeBuiltins: "all" | readonly string[];
  readonly node: ">=22.15" | ">=22.18";
}

export const arrows: Readonly<Record<string, Arrow>> = {
  core: { imports: [], nodeBuiltins: ["node"], node: ">=22.15" },
  "store-kit": { imports: ["core"], testImports: ["store-memory"], nodeBuiltins: [], node: ">=22.15" },
  "store-conformance": {
    imports: ["core", "store-kit"],
    testImports: ["store-memory"],
    nodeBuiltins: "all",
    node: ">=22.18",
  },
  "store-memory": { imports: ["core", "store-kit"], nodeBuiltins: [], node: ">=22.15" },
  otel: { imports: ["core"], testImports: ["store-memory"], nodeBuiltins: "all", node: ">=22.15" },
  algorithm: { imports: ["core"], testImports: ["store-memory", "runner"], nodeBuiltins: [], node: ">=22.15" },
  runner: { imports: ["core", "otel"], testImports: ["store-memory"], nodeBuiltins: "all", node: ">=22.18" },
  trainer: {
    imports: ["core", "algorithm", "runner", "store-memory"],
    testImports: ["otel"],
    nodeBuiltins: "all",
    node: ">=22.18",
  },
  "mock-agent": {
    imports: ["core", "otel", "algorithm", "runner", "trainer", "store-memory"],
    nodeBuiltins: "all",
    node: ">=22.18",
  },
};
