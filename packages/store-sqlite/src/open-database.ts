import { realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { LightningError } from "@agentlightning/core";
import type { Connection, ResolvedOptions } from "./options.ts";
import { whileBusy } from "./retry.ts";
import { applicationId, schema, schemaVersion } from "./schema.ts";
import { resultCode, resultCodes, translateError } from "./sqlite-errors.ts";

function refuse(message: string, cause?: unknown): LightningError {
  return new LightningError({ code: "invalid_options", message, cause });
}

/** Checks what can be checked without opening, and gives the absolute path. */
function checkPath(path: string): string {
  if (typeof path !== "string" || path === "") throw refuse("path must name the file of the database");
  if (path === ":memory:") {
    throw refuse('":memory:" is no file; use openMemoryStore of @agentlightning/store-memory, or give a path');
  }
  const file = resolve(path);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw refuse(`${file} is a directory; give the path of a file in it, such as ${resolve(file, "store.db")}`);
  }
  if (statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw refuse(`cannot make ${file}: there is no directory ${dirname(file)}; make it first, or correct the path`);
  }
  return file;
}

/** The value of a pragma that is a number. */
function pragma(db: DatabaseSync, name: string): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
}

/** Whether the file is ours already; `false` for one that is empty yet. @throws for any other */
function isOurs(db: DatabaseSync, file: string): boolean {
  const id = pragma(db, "application_id");
  const version = pragma(db, "user_version");
  const isEmpty = db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  if (id === 0 && version === 0 && isEmpty) return false;
  if (id !== applicationId) {
    throw refuse(`${file} is a database of another application; nothing was changed; give the path of another file`);
  }
  if (version > schemaVersion) {
    throw new LightningError({
      code: "unsupported",
      message: `${file} was written by a newer version (schema ${version}, this one knows ${schemaVersion}); update @agentlightning/store-sqlite, or give another path`,
      details: { schemaVersion: version },
    });
  }
  return true;
}

function prepareFile(db: DatabaseSync, file: string, synchronous: "full" | "normal"): void {
  const isReady = isOurs(db, file);
  db.exec(`PRAGMA synchronous = ${synchronous}`);
  db.exec("PRAGMA journal_mode = WAL");
  if (isReady) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    // Somebody else may have been faster.
    if (!isOurs(db, file)) db.exec(schema);
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

function explain(error: unknown, file: string): unknown {
  const code = resultCode(error);
  if (code === resultCodes.notADatabase) {
    return refuse(`${file} is not a SQLite database; nothing was changed; give the path of another file`, error);
  }
  if (code === resultCodes.cantOpen || code === resultCodes.readOnly) {
    return new LightningError({
      code: "unavailable",
      message: `${file} cannot be opened for writing; check its permissions and those of its directory`,
      cause: error,
    });
  }
  return translateError(error, file);
}

function tryToOpen(file: string, synchronous: "full" | "normal"): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 0 });
  try {
    prepareFile(db, file, synchronous);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Opens the file, made where there is none, checked where there is one. @throws invalid_options, unsupported, unavailable */
export async function openDatabase(path: string, options: ResolvedOptions): Promise<Connection> {
  const file = checkPath(path);
  try {
    const db = await whileBusy(file, options.busyTimeoutMs, () => tryToOpen(file, options.synchronous));
    return { db, path: realpathSync(file) };
  } catch (error) {
    throw explain(error, file);
  }
}
