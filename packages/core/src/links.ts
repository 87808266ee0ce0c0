import type { JsonValue } from "./json.ts";
import { attributeNames } from "./semconv.ts";
import type { Span, SpanAttributes } from "./span.ts";

/** Attributes that tag a span: `agentlightning.tag.N`. */
export function makeTagAttributes(tags: readonly string[]): SpanAttributes {
  return Object.fromEntries(tags.map((tag, index) => [`${attributeNames.tagPrefix}.${index}`, tag]));
}

/** Attributes that link a span to others by what those carry: `trace_id`, `span_id` or an attribute's name, each with the value to match. */
export function makeLinkAttributes(matches: Readonly<Record<string, string>>): SpanAttributes {
  return Object.fromEntries(
    Object.entries(matches).flatMap(([key, value], index) => [
      [`${attributeNames.linkPrefix}.${index}.key_match`, key],
      [`${attributeNames.linkPrefix}.${index}.value_match`, value],
    ]),
  );
}

function valueOf(span: Span, key: string): JsonValue | undefined {
  if (key === "trace_id") return span.traceId;
  if (key === "span_id") return span.spanId;
  return span.attributes[key];
}

/** The spans that `source` links to: those on which all its links match. None when it has no links. */
export function queryLinkedSpans(source: Pick<Span, "attributes">, spans: Iterable<Span>): readonly Span[] {
  const matches: (readonly [string, JsonValue])[] = [];
  for (let index = 0; ; index += 1) {
    const key = source.attributes[`${attributeNames.linkPrefix}.${index}.key_match`];
    const value = source.attributes[`${attributeNames.linkPrefix}.${index}.value_match`];
    if (typeof key !== "string" || value === undefined) break;
    matches.push([key, value]);
  }
  if (matches.length === 0) return [];
  // Compared as text: a number that was written as one matches its digits.
  const same = (a: JsonValue | undefined, b: JsonValue): boolean => a === b || (typeof a === "number" && `${a}` === b);
  return [...spans].filter((span) => matches.every(([key, value]) => same(valueOf(span, key), value)));
}
