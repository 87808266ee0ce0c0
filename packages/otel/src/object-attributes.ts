import { attributeNames, InvalidInputError, type SpanAttributes } from "@agentlightning/core";

/** The reference's names of primitive kinds. */
function literalType(value: string | number | boolean): string {
  if (typeof value === "string") return "str";
  if (typeof value === "boolean") return "bool";
  return Number.isInteger(value) ? "int" : "float";
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

function toJsonText(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? item.toString() : item));
  } catch (cause) {
    throw new InvalidInputError({ message: "the object cannot be written as JSON; give plain data", cause });
  }
  if (text !== undefined) return text;
  throw new InvalidInputError({ message: `a ${typeof value} cannot be written as JSON; give plain data` });
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  const prototype: unknown = Object.getPrototypeOf(value);
  const name: unknown =
    typeof prototype === "object" && prototype !== null ? Reflect.get(prototype.constructor ?? {}, "name") : undefined;
  return typeof name === "string" && name !== "" ? name : "Object";
}

/** A value as attributes: its kind, and its text or JSON. @throws invalid_input */
export function objectAttributes(value: unknown): SpanAttributes {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return { [attributeNames.objectType]: literalType(value), [attributeNames.objectLiteral]: String(value) };
  }
  if (value instanceof Uint8Array) {
    return { [attributeNames.objectType]: "bytes", [attributeNames.objectLiteral]: toBase64(value) };
  }
  return { [attributeNames.objectType]: typeName(value), [attributeNames.objectJson]: toJsonText(value) };
}
