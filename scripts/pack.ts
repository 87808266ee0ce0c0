// Packs every published package into tarballs, as a release would.
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder, mustRun, publishedPackages, type WorkspacePackage } from "./workspace.ts";

export interface Tarball {
  readonly item: WorkspacePackage;
  readonly file: string;
}

/** Packs into `folder`, emptied first; the packages must have been built. */
export async function packAll(folder: string = join(cacheFolder, "packs")): Promise<readonly Tarball[]> {
  await rm(folder, { recursive: true, force: true });
  const tarballs: Tarball[] = [];
  for (const item of publishedPackages) {
    const destination = join(folder, item.manifest.name.replace("/", "+"));
    await mkdir(destination, { recursive: true });
    await mustRun("pnpm", ["pack", "--pack-destination", destination], { cwd: item.folder });
    const [name] = await readdir(destination);
    if (name === undefined) throw new Error(`${item.path}: pnpm pack wrote no tarball`);
    tarballs.push({ item, file: join(destination, name) });
  }
  return tarballs;
}
