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

/**
 * One pass over a value: refuses what is no JSON, copies what is. One copier may copy many values, which it counts
 * together; the place of a value is kept as a stack, so that the ordinary leaf costs nothing for it.
 */
export class JsonCopier {
  /** Estimated bytes of everything copied so far. */
  bytes: number;
  readonly #deepFreeze: boolean;
  readonly #maxBytes: number;
  readonly #path: (string | number)[] = [];
  #subject = "";

  /** @param bytes - What stands on the bill already. */
  constructor(options: JsonCopyOptions, bytes: number = 0) {
    this.bytes = bytes;
    this.#deepFreeze = options.deepFreeze ?? false;
    this.#maxBytes = options.maxBytes ?? Number.POSITIVE_INFINITY;
  }

  /** A copy of any JSON value, frozen at its outermost level. @throws invalid_input naming the path, too_large */
  value(value: unknown, subject: string): JsonValue {
    this.#begin(subject);
    const copy = this.#copy(value);
    return typeof copy === "object" && copy !== null ? Object.freeze(copy) : copy;
  }

  /** As {@link JsonCopier.value} for what must be an object. @throws invalid_input, too_large */
  object(value: unknown, subject: string): JsonObject {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      const kind = value === null ? "null" : Array.isArray(value) ? "an array" : typeof value;
      throw new InvalidInputError({ message: `${subject} must be an object, got ${kind}` });
    }
    this.#begin(subject);
    return Object.freeze(this.#copyObject(value));
  }

  /** Puts a text on the bill. */
  count(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > this.#maxBytes) throw this.#tooLarge();
  }

  #begin(subject: string): void {
    this.#subject = subject;
    // What a refusal left behind.
    this.#path.length = 0;
  }

  #copy(value: unknown): JsonValue {
    switch (typeof value) {
      case "string":
        this.count(value.length);
        return value;
      case "number":
      case "boolean":
        this.count(8);
        return value;
      case "object":
        if (value === null) return null;
        return Array.isArray(value) ? this.#copyArray(value) : this.#copyObject(value);
      default:
        throw this.#refuse(`is ${typeof value === "undefined" ? "undefined" : `a ${typeof value}`}`);
    }
  }

  #copyArray(value: readonly unknown[]): JsonValue[] {
    this.#requireDepth();
    const copy: JsonValue[] = [];
    // By index: a hole in the list is then met as what it reads as, undefined.
    for (let index = 0; index < value.length; index += 1) copy.push(this.#member(value[index], index));
    return this.#deepFreeze ? (Object.freeze(copy) as JsonValue[]) : copy;
  }

  #copyObject(value: object): Record<string, JsonValue> {
    this.#requireDepth();
    if (!isPlainObject(value)) {
      const name = (value as { constructor?: { name?: unknown } }).constructor?.name;
      throw this.#refuse(`is a ${typeof name === "string" && name !== "" ? name : "class instance"}`);
    }
    // Spreading takes over the source's layout, a multiple faster than setting key by key; what has to be left out or
    // refused is met in the loop below, and never reaches anybody unless all of it was looked at.
    const copy = { ...value } as Record<string, unknown>;
    let isSparse = Object.getOwnPropertySymbols(copy).length > 0;
    for (const key in copy) {
      const item = copy[key];
      if (typeof item === "string") this.bytes += key.length + item.length;
      else if (typeof item === "number" || typeof item === "boolean") this.bytes += key.length + 8;
      else if (item === undefined) isSparse = true;
      // What somebody added to `Object.prototype` is walked, too.
      else if (Object.hasOwn(copy, key)) {
        this.bytes += key.length;
        // Never the setter of `__proto__`: where that is a key, it is the copy's own.
        copy[key] = this.#nested(item, key);
      }
      if (this.bytes > this.#maxBytes) throw this.#tooLarge();
    }
    const json = (isSparse ? withoutGaps(copy) : copy) as Record<string, JsonValue>;
    return this.#deepFreeze ? Object.freeze(json) : json;
  }

  /** The hot path: a leaf that cannot be refused for its kind. */
  #member(item: unknown, step: string | number): JsonValue {
    if (typeof item === "string") {
      this.bytes += item.length;
      if (this.bytes <= this.#maxBytes) return item;
    } else if (typeof item === "number" || typeof item === "boolean") {
      this.bytes += 8;
      if (this.bytes <= this.#maxBytes) return item;
    } else {
      return this.#nested(item, step);
    }
    throw this.#tooLarge();
  }

  #nested(item: unknown, step: string | number): JsonValue {
    this.#path.push(step);
    const copied = this.#copy(item);
    this.#path.pop();
    return copied;
  }

  #requireDepth(): void {
    if (this.#path.length > deepest) throw this.#refuse(`nests deeper than ${deepest} levels (or refers to itself)`);
  }

  #tooLarge(): InvalidInputError {
    return new InvalidInputError({
      code: "too_large",
      message: `${this.#place()} is larger than ${this.#maxBytes} bytes`,
      details: { maxBytes: this.#maxBytes },
    });
  }

  #refuse(problem: string): InvalidInputError {
    const place = this.#place();
    return new InvalidInputError({ message: `${place} ${problem}; give JSON values only`, details: { path: place } });
  }

  #place(): string {
    const shown = this.#path.length > 12 ? [...this.#path.slice(0, 12), "…"] : this.#path;
    return shown.reduce<string>(
      (text, step) => (typeof step === "number" ? `${text}[${step}]` : `${text}.${step}`),
      this.#subject,
    );
  }
}

/** Whether an object is one of fields alone, and not of a class: no map, no date, no list. */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // A plain object of another realm (a vm context) has that realm's Object.prototype: the end of its chain, too.
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Without symbols and without keys that are undefined. */
function withoutGaps(copy: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(copy).filter(([, item]) => item !== undefined));
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
  const copier = new JsonCopier(options);
  return { value: copier.value(value, subject), bytes: copier.bytes };
}

/** As {@link copyJson} for what must be an object. @throws invalid_input, too_large */
export function copyJsonObject(value: unknown, subject: string, options: JsonCopyOptions = {}): JsonCopy<JsonObject> {
  const copier = new JsonCopier(options);
  return { value: copier.object(value, subject), bytes: copier.bytes };
}
