// What the workspace consists of, for the scripts and the checks.
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly description?: string;
  readonly license?: string;
  readonly type?: string;
  readonly sideEffects?: boolean;
  readonly engines?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly files?: readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly [field: string]: unknown;
}

export interface WorkspacePackage {
  readonly folder: string;
  /** The folder relative to the repository, for messages. */
  readonly path: string;
  readonly manifest: Manifest;
}

export const root: string = dirname(dirname(fileURLToPath(import.meta.url)));

/** Ignored by git; everything that scripts produce goes here. */
export const cacheFolder: string = join(root, ".cache");

const readManifest = (file: string): Manifest => JSON.parse(readFileSync(file, "utf8")) as Manifest;

function packagesIn(parent: string): WorkspacePackage[] {
  if (!existsSync(join(root, parent))) return [];
  return readdirSync(join(root, parent))
    .map((name) => ({ path: `${parent}/${name}`, folder: join(root, parent, name) }))
    .filter(({ folder }) => existsSync(join(folder, "package.json")))
    .map((place) => ({ ...place, manifest: readManifest(join(place.folder, "package.json")) }));
}

/** Packages that are published, in folder order. */
export const publishedPackages: readonly WorkspacePackage[] = [...packagesIn("packages"), ...packagesIn("apps")].filter(
  ({ manifest }) => manifest.private !== true,
);

export const examples: readonly WorkspacePackage[] = packagesIn("examples");

export const sourceCondition = "@agentlightning/source";

/** `[subpath, source file]` of each entry point that holds code. */
export function entriesOf({ folder, manifest }: WorkspacePackage): readonly (readonly [string, string])[] {
  return Object.entries(manifest.exports ?? {}).flatMap(([subpath, target]) => {
    const source = typeof target === "string" ? undefined : target[sourceCondition];
    return source === undefined ? [] : [[subpath, join(folder, source)] as const];
  });
}

export interface CommandResult {
  readonly code: number;
  readonly output: string;
}

/** Runs a command without a shell and collects what it prints; a failing command is a result, not an exception. */
export async function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<CommandResult> {
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...options.env },
      maxBuffer: 64 * 1024 * 1024,
    });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const failure = error as { code?: unknown; stdout?: string; stderr?: string; message?: string };
    const output = `${failure.stdout ?? ""}${failure.stderr ?? ""}`;
    return {
      code: typeof failure.code === "number" ? failure.code : 1,
      output: output === "" ? (failure.message ?? "") : output,
    };
  }
}

/** As {@link run}, and throws with the output when the command fails. */
export async function mustRun(...parameters: Parameters<typeof run>): Promise<string> {
  const { code, output } = await run(...parameters);
  if (code !== 0) throw new Error(`${parameters[0]} ${parameters[1].join(" ")} failed (${code})\n${output}`);
  return output;
}
