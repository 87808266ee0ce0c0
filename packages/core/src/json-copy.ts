import { InvalidInputError } from "./errors.ts";
import type { JsonObject, JsonValue } from "./json.ts";

/** How {@link copyJson} copies. */
export interface JsonCopyOptions {
  /** Freeze every level instead of the outermost only. @defaultValue false */
  readonly deepFreeze?: boolean;
  /** Refuse more than this many estimated bytes. @defaultValue no bound */
  readonly maxBytes?: number;
}

/** A copy and its estimated size in bytes (text lengths plus eight a value). */
export interface JsonCopy<T> {
  readonly value: T;
  readonly bytes: number;
}

const deepest = 200;

/** One pass over a value: refuses what is no JSON, copies what is. A class because the pass counts bytes as it goes. */
class JsonCopier {
  bytes = 0;
  readonly #deepFreeze: boolean;
  readonly #maxBytes: number;
  readonly #subject: string;

  constructor(subject: string, options: JsonCopyOptions) {
    this.#subject = subject;
    this.#deepFreeze = options.deepFreeze ?? false;
    this.#maxBytes = options.maxBytes ?? Number.POSITIVE_INFINITY;
  }

  copy(value: unknown, path: readonly (string | number)[]): JsonValue {
    switch (typeof value) {
      case "string":
        this.#count(value.length, path);
        return value;
      case "number":
      case "boolean":
        this.#count(8, path);
        return value;
      case "object":
        if (value === null) return null;
        if (path.length > deepest)
          throw this.#refuse(path, `nests deeper than ${deepest} levels (or refers to itself)`);
        return Array.isArray(value) ? this.#copyArray(value, path) : this.#copyObject(value, path);
      default:
        throw this.#refuse(path, `is ${typeof value === "undefined" ? "undefined" : `a ${typeof value}`}`);
    }
  }

  #copyArray(value: readonly unknown[], path: readonly (string | number)[]): JsonValue {
    const copy: JsonValue[] = [];
    // By index: a hole in the list is then met as what it reads as, undefined.
    for (let index = 0; index < value.length; index += 1) {
      const item = value[index];
      copy.push(isShort(item) ? this.#short(item, path) : this.copy(item, [...path, index]));
    }
    return this.#deepFreeze ? Object.freeze(copy) : copy;
  }

  #copyObject(value: object, path: readonly (string | number)[]): JsonValue {
    const prototype: unknown = Object.getPrototypeOf(value);
    // A plain object of another realm (a vm context) has that realm's Object.prototype: the end of its chain, too.
    if (prototype !== Object.prototype && prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      const name = (value as { constructor?: { name?: unknown } }).constructor?.name;
      throw this.#refuse(path, `is a ${typeof name === "string" && name !== "" ? name : "class instance"}`);
    }
    const copy: Record<string, JsonValue> = {};
    const source = value as Readonly<Record<string, unknown>>;
    for (const key of Object.keys(source)) {
      const item = source[key];
      if (item === undefined) continue;
      this.#count(key.length, path);
      const copied = isShort(item) ? this.#short(item, path) : this.copy(item, [...path, key]);
      // Plain assignment to this one key would set the prototype.
      if (key === "__proto__")
        Object.defineProperty(copy, key, { value: copied, enumerable: true, writable: true, configurable: true });
      else copy[key] = copied;
    }
    return this.#deepFreeze ? Object.freeze(copy) : copy;
  }

  /** The hot path: no path array is built for a leaf that cannot be refused for its kind. */
  #short(item: string | number | boolean, path: readonly (string | number)[]): JsonValue {
    this.#count(typeof item === "string" ? item.length : 8, path);
    return item;
  }

  #count(bytes: number, path: readonly (string | number)[]): void {
    this.bytes += bytes;
    if (this.bytes <= this.#maxBytes) return;
    throw new InvalidInputError({
      code: "too_large",
      message: `${this.#place(path)} is larger than ${this.#maxBytes} bytes`,
      details: { maxBytes: this.#maxBytes },
    });
  }

  #refuse(path: readonly (string | number)[], problem: string): InvalidInputError {
    const place = this.#place(path);
    return new InvalidInputError({ message: `${place} ${problem}; give JSON values only`, details: { path: place } });
  }

  #place(path: readonly (string | number)[]): string {
    const shown = path.length > 12 ? [...path.slice(0, 12), "…"] : path;
    return shown.reduce<string>(
      (text, step) => (typeof step === "number" ? `${text}[${step}]` : `${text}.${step}`),
      this.#subject,
    );
  }
}

function isShort(item: unknown): item is string | number | boolean {
  return typeof item === "string" || typeof item === "number" || typeof item === "boolean";
}

/**
 * Copies a JSON value, refusing what is none: undefined in arrays, functions, symbols, big integers, dates, maps, class
 * instances, cycles. Properties that are `undefined` are left out; NaN, infinities and -0 are kept; `__proto__` is a
 * key like any other. The outermost level is frozen.
 *
 * @param subject - What the value is called in an error, e.g. "input".
 * @throws invalid_input naming the path, too_large
 */
export function copyJson(value: unknown, subject: string, options: JsonCopyOptions = {}): JsonCopy<JsonValue> {
  const copier = new JsonCopier(subject, options);
  const copy = copier.copy(value, []);
  return { value: typeof copy === "object" && copy !== null ? Object.freeze(copy) : copy, bytes: copier.bytes };
}

/** As {@link copyJson} for what must be an object. @throws invalid_input, too_large */
export function copyJsonObject(value: unknown, subject: string, options: JsonCopyOptions = {}): JsonCopy<JsonObject> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const kind = value === null ? "null" : Array.isArray(value) ? "an array" : typeof value;
    throw new InvalidInputError({ message: `${subject} must be an object, got ${kind}` });
  }
  const { value: copy, bytes } = copyJson(value, subject, options);
  return { value: copy as JsonObject, bytes };
}
