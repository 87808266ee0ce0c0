import type { JsonObject, JsonValue } from "./json.ts";
import type { SpanAttributes } from "./span.ts";

type Primitive = string | number | boolean;

function isPrimitive(value: JsonValue): value is Primitive {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function isUniform(list: readonly JsonValue[]): boolean {
  const kind = typeof list[0];
  return list.every((item) => isPrimitive(item) && typeof item === kind);
}

function collect(value: JsonValue, key: string, into: Map<string, JsonValue>): void {
  if (isPrimitive(value)) into.set(key, value);
  else if (value === null) into.set(key, "null");
  else if (Array.isArray(value)) {
    const list = value as readonly JsonValue[];
    if (list.length === 0 || isUniform(list)) into.set(key, [...list]);
    else list.forEach((item, index) => collect(item, `${key}.${index}`, into));
  } else {
    const fields = Object.entries(value as JsonObject);
    if (fields.length === 0) into.set(key, "{}");
    for (const [name, item] of fields) collect(item, `${key}.${name}`, into);
  }
}

/** Nested maps and lists as dotted keys, as the reference writes them: lists of one primitive kind stay lists, mixed ones are indexed; null and an empty map become their JSON text. */
export function flattenAttributes(nested: JsonObject, prefix: string = ""): SpanAttributes {
  const flat = new Map<string, JsonValue>();
  for (const [name, value] of Object.entries(nested)) collect(value, prefix === "" ? name : `${prefix}.${name}`, flat);
  return Object.fromEntries(flat);
}

interface Node {
  value?: JsonValue;
  readonly children: Map<string, Node>;
}

function build(node: Node): JsonValue {
  if (node.children.size === 0) return node.value ?? null;
  const keys = [...node.children.keys()];
  if (keys.every((_, index) => node.children.has(String(index)))) {
    return keys.map((_, index) => build(node.children.get(String(index)) ?? { children: new Map() }));
  }
  return Object.fromEntries([...node.children].map(([key, child]) => [key, build(child)]));
}

/** The inverse of {@link flattenAttributes} where one exists: keys 0…n−1 become a list again; `prefix` selects and is cut off. */
export function unflattenAttributes(flat: SpanAttributes, prefix: string = ""): JsonValue {
  const root: Node = { children: new Map() };
  for (const [key, value] of Object.entries(flat)) {
    if (prefix !== "" && !key.startsWith(`${prefix}.`)) continue;
    let node = root;
    for (const step of (prefix === "" ? key : key.slice(prefix.length + 1)).split(".")) {
      const child: Node = node.children.get(step) ?? { children: new Map() };
      node.children.set(step, child);
      node = child;
    }
    node.value = value;
  }
  return root.children.size === 0 ? {} : build(root);
}
