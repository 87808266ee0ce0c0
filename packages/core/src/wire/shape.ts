import { InvalidInputError } from "../errors.ts";
import type { JsonObject, JsonValue } from "../json.ts";

/** A record as it goes over the wire: snake_case, seconds, null for what is absent. */
export type WireObject = JsonObject;

/** How one value is written and read. */
export interface ValueCodec<T> {
  encode(value: T): JsonValue;
  /** @throws invalid_input naming `place` */
  decode(value: JsonValue, place: string): T;
}

/** How one field is written and read. */
export interface FieldCodec {
  readonly wire: string;
  readonly codec: ValueCodec<never> | ValueCodec<unknown>;
  /** Leave it out when absent, instead of writing null: fields that the reference does not know. */
  readonly omit?: boolean;
  /** What an absent or null field is read as, where that is not "absent". */
  readonly fallback?: unknown;
}

/** The fields of a record by their TypeScript names. */
export type Shape = Readonly<Record<string, FieldCodec>>;

function refuse(place: string, expected: string, value: unknown): InvalidInputError {
  const shown = value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
  return new InvalidInputError({ message: `${place} must be ${expected}, got ${shown}`, details: { field: place } });
}

function primitive<T extends string | number | boolean>(kind: "string" | "number" | "boolean"): ValueCodec<T> {
  return {
    encode: (value) => value,
    decode: (value, place) => {
      if (typeof value === kind) return value as T;
      throw refuse(place, `a ${kind}`, value);
    },
  };
}

/** Text, as it is. */
export const text: ValueCodec<string> = primitive<string>("string");
/** A number, as it is. */
export const number: ValueCodec<number> = primitive<number>("number");
/** A boolean, as it is. */
export const flag: ValueCodec<boolean> = primitive<boolean>("boolean");

/** Any JSON value: nothing inside it is renamed. */
export const json: ValueCodec<JsonValue> = { encode: (value) => value, decode: (value) => value };

/** A JSON object: nothing inside it is renamed. */
export const object: ValueCodec<JsonObject> = {
  encode: (value) => value,
  decode: (value, place) => {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
    throw refuse(place, "an object", value);
  },
};

/** Milliseconds here, seconds on the wire, to the microsecond. */
export const seconds: ValueCodec<number> = {
  encode: (ms) => Math.round(ms * 1_000) / 1_000_000,
  decode: (value, place) => Math.round(number.decode(value, place) * 1_000_000) / 1_000,
};

/** A list of one kind of value. */
export function listOf<T>(item: ValueCodec<T>): ValueCodec<readonly T[]> {
  return {
    encode: (values) => values.map((value) => item.encode(value)),
    decode: (value, place) => {
      if (!Array.isArray(value)) throw refuse(place, "a list", value);
      return value.map((entry: JsonValue, index) => item.decode(entry, `${place}[${index}]`));
    },
  };
}

/** A value of a closed list. */
export function oneOf<T extends string>(values: readonly T[]): ValueCodec<T> {
  return {
    encode: (value) => value,
    decode: (value, place) => {
      const found = values.find((candidate) => candidate === value);
      if (found !== undefined) return found;
      throw refuse(place, `one of ${values.join(", ")}`, value);
    },
  };
}

/** Sets a key whatever its name: plain assignment of `__proto__` would set the prototype. */
export function put(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}

/** A record by its shape. Absent fields are null on the wire, and absent again when read. */
export function record<T extends object>(shape: Shape): ValueCodec<T> {
  const fields = Object.entries(shape);
  return {
    encode: (value) => {
      const wire: Record<string, JsonValue> = {};
      for (const [name, field] of fields) {
        const item: unknown = Reflect.get(value, name);
        if (item !== undefined) wire[field.wire] = (field.codec as ValueCodec<unknown>).encode(item);
        else if (field.omit !== true) wire[field.wire] = null;
      }
      return wire;
    },
    decode: (value, place) => {
      const wire = object.decode(value, place);
      const found: Record<string, unknown> = {};
      for (const [name, field] of fields) {
        const item = Object.hasOwn(wire, field.wire) ? wire[field.wire] : undefined;
        if (item !== undefined && (item !== null || field.codec === json)) {
          found[name] = (field.codec as ValueCodec<unknown>).decode(item, `${place}.${field.wire}`);
        } else if (field.fallback !== undefined) found[name] = field.fallback;
        else if (field.omit !== true && isRequired(field))
          throw refuse(`${place}.${field.wire}`, "given", item ?? null);
      }
      return Object.freeze(found) as T;
    },
  };
}

const required = new WeakSet<FieldCodec>();

function isRequired(field: FieldCodec): boolean {
  return required.has(field);
}

/** A field that must be there. */
export function must(wire: string, codec: FieldCodec["codec"]): FieldCodec {
  const field: FieldCodec = { wire, codec };
  required.add(field);
  return field;
}

/** A field that may be absent: null on the wire. */
export function may(wire: string, codec: FieldCodec["codec"], fallback?: unknown): FieldCodec {
  return fallback === undefined ? { wire, codec } : { wire, codec, fallback };
}

/** A field of ours, left out when absent. */
export function own(wire: string, codec: FieldCodec["codec"], fallback?: unknown): FieldCodec {
  return fallback === undefined ? { wire, codec, omit: true } : { wire, codec, omit: true, fallback };
}
