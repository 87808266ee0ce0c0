import { expect, test } from "vitest";
import { toAttributes } from "./attribute-value.ts";

test("attributes of any kind become what every store keeps, and nothing throws", () => {
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const attributes = {
    text: "t",
    none: null,
    unset: undefined,
    big: 12n,
    date: new Date(0),
    badDate: new Date(Number.NaN),
    bytes: Uint8Array.of(1, 255),
    list: ["a", null, 1n],
    object: { big: 1n },
    cyclic,
    fn: () => 1,
    get hostile(): string {
      throw new Error("from a getter");
    },
  };
  expect(toAttributes(attributes)).toEqual({
    text: "t",
    big: "12",
    date: "1970-01-01T00:00:00.000Z",
    badDate: "Invalid Date",
    bytes: "01ff",
    list: ["a", null, "1"],
    object: '{"big":"1"}',
    cyclic: "[object Object]",
  });
  expect(toAttributes(undefined)).toEqual({});
});

test("an attribute named like an object's own parts stays an attribute", () => {
  expect(Object.keys(toAttributes(JSON.parse('{"__proto__": "x"}') as Record<string, unknown>))).toEqual(["__proto__"]);
});
