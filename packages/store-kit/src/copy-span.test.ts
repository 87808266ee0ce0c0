import { type JsonValue, LightningError, type SpanInput } from "@agentlightning/core";
import { spanInputSchema } from "@agentlightning/core/schema";
import fc from "fast-check";
import { expect, test } from "vitest";
import { copySpan } from "./copy-span.ts";

const json = fc.jsonValue() as fc.Arbitrary<JsonValue>;
const attributes = fc.dictionary(fc.string(), json, { maxKeys: 3 });
const context = fc.record({
  traceId: fc.string(),
  spanId: fc.string(),
  isRemote: fc.boolean(),
  traceState: fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 }),
});
const instant = fc.double({ noNaN: true, noDefaultInfinity: true });
const spans: fc.Arbitrary<SpanInput> = fc.record(
  {
    rolloutId: fc.string({ minLength: 1 }),
    attemptId: fc.string({ minLength: 1 }),
    sequenceId: fc.maxSafeInteger(),
    traceId: fc.string(),
    spanId: fc.string({ minLength: 1 }),
    parentId: fc.string(),
    name: fc.string(),
    status: fc.record(
      { statusCode: fc.constantFrom("UNSET", "OK", "ERROR"), description: fc.string() },
      { requiredKeys: ["statusCode"] },
    ),
    attributes,
    events: fc.array(
      fc.record({ name: fc.string(), attributes, timestampMs: instant }, { requiredKeys: ["name", "attributes"] }),
      { maxLength: 2 },
    ),
    links: fc.array(fc.record({ context, attributes }, { requiredKeys: ["context"] }), { maxLength: 2 }),
    startTimeMs: instant,
    endTimeMs: instant,
    startTimeUnixNano: fc.string(),
    endTimeUnixNano: fc.string(),
    context,
    parent: context,
    resource: fc.record({ attributes, schemaUrl: fc.string() }),
    extra: attributes,
  },
  {
    requiredKeys: [
      "rolloutId",
      "attemptId",
      "traceId",
      "spanId",
      "name",
      "status",
      "attributes",
      "events",
      "links",
      "resource",
    ],
  },
);

/** The least that a span may be, and what is given. */
function bare(fields: object): SpanInput {
  const ids = { rolloutId: "r", attemptId: "a", spanId: "s", traceId: "" };
  const rest = { attributes: {}, events: [], links: [], resource: { attributes: {}, schemaUrl: "" } };
  return { ...ids, name: "", status: { statusCode: "UNSET" }, ...rest, ...fields };
}

function copied(span: unknown): unknown {
  try {
    return copySpan(span as SpanInput, {}).span;
  } catch (cause) {
    if (LightningError.isInstance(cause, "invalid_input")) return "refused";
    throw cause;
  }
}

function parsed(span: unknown): unknown {
  const result = spanInputSchema.safeParse(span);
  return result.success ? result.data : "refused";
}

test("the hand-written pass and the schema make the same span", () => {
  fc.assert(
    fc.property(spans, (span) => {
      expect(copied(span)).toEqual(parsed(span));
      expect(copied(span)).toEqual(span);
    }),
  );
});

test("a trace state under the key __proto__ is kept by both", () => {
  const traceState: unknown = JSON.parse('{"__proto__": "vendor"}');
  const parent = { traceId: "", spanId: "", isRemote: false, traceState };
  const span = bare({ parent });
  for (const result of [copied(span), parsed(span)]) {
    const { parent: stored } = result as { readonly parent: { readonly traceState: object } };
    expect(Object.entries(stored.traceState)).toEqual([["__proto__", "vendor"]]);
  }
});

test("a trace state that is no plain object is refused by both, and lost by neither", () => {
  for (const traceState of [new Map([["a", "b"]]), new Date(0), ["a"], { a: 1 }]) {
    const span = bare({ parent: { traceId: "", spanId: "", isRemote: false, traceState } });
    expect([copied(span), parsed(span)]).toEqual(["refused", "refused"]);
  }
});

test("every text of any length counts towards the bound of a span", () => {
  const long = "x".repeat(10_000);
  const context = { traceId: "", spanId: "", isRemote: false, traceState: { vendor: long } };
  const event = { name: long, attributes: {} };
  const grown: readonly object[] = [
    { name: long },
    { status: { statusCode: "ERROR", description: long } },
    { events: [event] },
    { links: [{ context }] },
    { parent: context },
    { context },
    { resource: { attributes: {}, schemaUrl: long } },
  ];
  for (const fields of grown) {
    expect(() => copySpan(bare(fields), { maxBytes: 10_000 })).toThrow(expect.objectContaining({ code: "too_large" }));
  }
});

const wrongValues: readonly unknown[] = [
  null,
  1,
  "",
  "x",
  [],
  {},
  [1],
  () => 1,
  1n,
  Symbol("x"),
  new Date(0),
  Number.NaN,
];

test("the hand-written pass refuses what the schema refuses, whichever field is wrong", () => {
  fc.assert(
    fc.property(spans, fc.nat(), fc.constantFrom(...wrongValues), (span, pick, value) => {
      const keys = Object.keys(span);
      const broken = { ...span, [keys[pick % keys.length] ?? "name"]: value };
      expect(copied(broken) === "refused").toBe(parsed(broken) === "refused");
    }),
    { numRuns: 2_000 },
  );
});
