import type { JsonValue, SpanAttributes } from "@agentlightning/core";

function readableText(value: unknown): string {
  try {
    return (
      JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? item.toString() : item)) ??
      String(value)
    );
  } catch {
    // Cyclic, or with a getter that throws: its kind is all that can be told.
    return Object.prototype.toString.call(value);
  }
}

/** An attribute value that every store keeps: dates as ISO text, big integers as digits, bytes as hex, objects as JSON text, holes in lists as null. `undefined` for what says nothing. */
export function toAttributeValue(value: unknown): JsonValue | undefined {
  switch (typeof value) {
    case "string":
    case "number":
    case "boolean":
      return value;
    case "bigint":
      return value.toString();
    case "object":
      break;
    default:
      return undefined;
  }
  if (value === null) return undefined;
  if (Array.isArray(value)) return Array.from(value, (item: unknown) => toAttributeValue(item) ?? null);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (value instanceof Uint8Array) return Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return readableText(value);
}

/** Attributes that every store keeps; never throws, whatever the getters do. */
export function toAttributes(attributes: Readonly<Record<string, unknown>> | undefined): SpanAttributes {
  const kept: Record<string, JsonValue> = {};
  if (attributes === undefined) return kept;
  for (const key of Object.keys(attributes)) {
    let value: JsonValue | undefined;
    try {
      value = toAttributeValue(attributes[key]);
    } catch {
      value = undefined;
    }
    if (value !== undefined)
      Object.defineProperty(kept, key, { value, enumerable: true, writable: true, configurable: true });
  }
  return kept;
}
