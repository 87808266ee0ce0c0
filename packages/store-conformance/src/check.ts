import assert from "node:assert/strict";
import { LightningError, type LightningErrorCode } from "@agentlightning/core";
import { lookedAfter } from "./quiet.ts";

/** Deep equality, records by value; a property that is `undefined` counts as missing. */
export function equal(actual: unknown, expected: unknown, what?: string): void {
  assert.deepEqual(plain(actual), plain(expected), what);
}

/** Equality in what `expected` names, at every level; lists have the same length, and `undefined` stands for "not there". */
export function matches(actual: unknown, expected: unknown, what?: string): void {
  assert.deepEqual(project(plain(actual), expected), plainOfExpected(expected), what);
}

/** Holds, or fails with the sentence. */
export function holds(condition: boolean, what: string): asserts condition {
  assert.ok(condition, what);
}

/** The promise is rejected with an error of this code; gives the error. */
export function refuses(promise: Promise<unknown>, code: LightningErrorCode): Promise<LightningError> {
  return lookedAfter(refusalOf(promise, code));
}

async function refusalOf(promise: Promise<unknown>, code: LightningErrorCode): Promise<LightningError> {
  const error = await outcomeOf(promise);
  assert.ok(LightningError.isInstance(error, code), `expected an error with code "${code}", got ${describe(error)}`);
  return error;
}

async function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    return { gave: await promise };
  } catch (cause) {
    return cause;
  }
}

function describe(value: unknown): string {
  if (LightningError.isInstance(value)) return `code "${value.code}": ${value.message}`;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  return `a result: ${JSON.stringify(value)}`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Copies records and lists, so that only values are compared, and leaves out what is `undefined`. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([, held]) => held !== undefined);
  return Object.fromEntries(entries.map(([key, held]) => [key, plain(held)]));
}

const absent = Symbol("not there");

/** What of `actual` is named by `expected`. */
function project(actual: unknown, expected: unknown): unknown {
  if (Array.isArray(expected)) {
    return Array.isArray(actual) ? actual.map((item, index) => project(item, expected[index])) : actual;
  }
  if (!isRecord(expected) || !isRecord(actual)) return actual;
  return Object.fromEntries(
    Object.entries(expected).map(([key, wanted]) => [
      key,
      Object.hasOwn(actual, key) ? project(actual[key], wanted) : absent,
    ]),
  );
}

function plainOfExpected(expected: unknown): unknown {
  if (Array.isArray(expected)) return expected.map(plainOfExpected);
  if (!isRecord(expected)) return expected;
  return Object.fromEntries(
    Object.entries(expected).map(([key, wanted]) => [key, wanted === undefined ? absent : plainOfExpected(wanted)]),
  );
}
