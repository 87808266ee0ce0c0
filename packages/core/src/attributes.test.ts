import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  flattenAttributes,
  type JsonObject,
  makeLinkAttributes,
  makeTagAttributes,
  queryLinkedSpans,
  type Span,
  unflattenAttributes,
} from "./index.ts";

describe("nested values as attributes", () => {
  test("maps and mixed lists become dotted keys, lists of one kind stay", () => {
    expect(flattenAttributes({ a: { b: 1, c: ["x", "y"] }, d: [1, "z", { e: true }] })).toEqual({
      "a.b": 1,
      "a.c": ["x", "y"],
      "d.0": 1,
      "d.1": "z",
      "d.2.e": true,
    });
  });

  test("what was flattened comes back, where keys hold no dots and nothing is empty or null", () => {
    const leaf = fc.oneof(fc.string(), fc.boolean(), fc.integer());
    const key = fc.stringMatching(/^[a-z]{1,5}$/);
    const nested = fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, leaf, { minKeys: 1, maxKeys: 3 })), {
      maxKeys: 4,
    });
    fc.assert(
      fc.property(nested, (value) => {
        expect(unflattenAttributes(flattenAttributes(value as JsonObject))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("keys from 0 up become a list again, below a prefix", () => {
    expect(unflattenAttributes({ "in.0.role": "user", "in.1.role": "tool", other: 1 }, "in")).toEqual([
      { role: "user" },
      { role: "tool" },
    ]);
  });
});

test("a link finds the spans on which all its values match", () => {
  const make = (spanId: string, attributes: JsonObject): Span => ({
    rolloutId: "ro",
    attemptId: "at",
    sequenceId: 1,
    traceId: "t1",
    spanId,
    name: "n",
    status: { statusCode: "UNSET" },
    attributes,
    events: [],
    links: [],
    resource: { attributes: {}, schemaUrl: "" },
  });
  const spans = [make("s1", { "gen_ai.response.id": "r1" }), make("s2", { "gen_ai.response.id": "r2" })];
  const source = { attributes: makeLinkAttributes({ trace_id: "t1", "gen_ai.response.id": "r2" }) };
  expect(queryLinkedSpans(source, spans).map(({ spanId }) => spanId)).toEqual(["s2"]);
  expect(queryLinkedSpans({ attributes: {} }, spans)).toEqual([]);
  expect(makeTagAttributes(["a", "b"])).toEqual({ "agentlightning.tag.0": "a", "agentlightning.tag.1": "b" });
});
