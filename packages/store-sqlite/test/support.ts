import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new directory for files of databases. */
export function makeDirectory(): string {
  return mkdtempSync(join(tmpdir(), "store-sqlite-"));
}

export function removeDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}

/** The path of a database that is not there yet, in a directory that goes when the test is over. */
export function newPath(): string {
  const directory = makeDirectory();
  onTestFinished(() => removeDirectory(directory));
  return join(directory, "store.db");
}
