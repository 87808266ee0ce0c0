import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { LightningError } from "@agentlightning/core";
import type { StoreFixture } from "../fixture.ts";

/** Reasons by the name of the case. */
type Deviations = Readonly<Record<string, string>>;

/** What a fixture module gives. */
export interface LoadedFixture {
  readonly fixture: StoreFixture;
  readonly deviations: Deviations;
}

function unusable(message: string, cause?: unknown): LightningError {
  return new LightningError({ code: "invalid_options", message, ...(cause === undefined ? {} : { cause }) });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isFixture(value: unknown): value is StoreFixture {
  return (
    isRecord(value) &&
    typeof value["name"] === "string" &&
    (typeof value["open"] === "function" || typeof value["openDriver"] === "function")
  );
}

function checkDeviations(value: unknown, file: string): Deviations {
  if (value === undefined) return {};
  if (isRecord(value) && Object.values(value).every((reason) => typeof reason === "string")) return value as Deviations;
  throw unusable(`${file}: deviations must be an object of reasons by the name of the case`);
}

async function importModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const loaded: unknown = await import(pathToFileURL(resolve(file)).href);
    return isRecord(loaded) ? loaded : {};
  } catch (cause) {
    const error = cause instanceof Error ? cause : new Error(String(cause));
    const isTypeScriptRefused = "code" in error && error.code === "ERR_UNKNOWN_FILE_EXTENSION";
    const hint = isTypeScriptRefused ? "\nA fixture in TypeScript needs Node.js 22.18 or later." : "";
    throw unusable(`${file} can't be loaded: ${error.message}${hint}`, cause);
  }
}

/** Imports a fixture module. @throws invalid_options when there is none in it */
export async function loadFixture(file: string): Promise<LoadedFixture> {
  const loaded = await importModule(file);
  const exported = loaded["default"];
  const fixture: unknown = typeof exported === "function" ? await exported() : exported;
  if (!isFixture(fixture)) {
    throw unusable(
      `${file}: its default export must be a StoreFixture (a name, and open or openDriver), or a function that gives one`,
    );
  }
  return { fixture, deviations: checkDeviations(loaded["deviations"], file) };
}

/** Reads announced deviations from a JSON file. @throws invalid_options */
export async function loadDeviations(file: string): Promise<Deviations> {
  let read: unknown;
  try {
    read = JSON.parse(await readFile(file, "utf8"));
  } catch (cause) {
    throw unusable(`${file} can't be read as JSON: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
  return checkDeviations(read, file);
}
