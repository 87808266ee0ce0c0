import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { copyJson, copyJsonObject } from "./index.ts";

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;

describe("what goes in is copied", () => {
  test("any JSON value comes out equal, and shares nothing with what went in", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { value: copy } = copyJson(value, "input", { deepFreeze: true });
        expect(copy).toEqual(value);
        if (typeof value === "object" && value !== null) expect(copy).not.toBe(value);
      }),
    );
  });

  test("a later change of the source is not seen", () => {
    const source = { list: [{ a: 1 }] };
    const { value } = copyJson(source, "input");
    source.list[0] = { a: 2 };
    expect(value).toEqual({ list: [{ a: 1 }] });
  });

  test("numbers that JSON text cannot hold are kept", () => {
    const { value } = copyJson([Number.NaN, Number.POSITIVE_INFINITY, -0], "input");
    expect(value).toEqual([Number.NaN, Number.POSITIVE_INFINITY, -0]);
  });

  test("a property that is undefined is left out, __proto__ is a key like any other", () => {
    expect(copyJson({ a: undefined, b: 1 }, "input").value).toEqual({ b: 1 });
    const { value } = copyJson(JSON.parse('{"__proto__": {"polluted": true}}'), "input");
    expect([Object.getPrototypeOf(value), JSON.stringify(value), Reflect.get({}, "polluted")]).toEqual([
      Object.prototype,
      '{"__proto__":{"polluted":true}}',
      undefined,
    ]);
  });
});

describe("what is no JSON is refused by its place", () => {
  test.each<[string, unknown, string]>([
    ["undefined in a list", { a: [1, undefined] }, "input.a[1] is undefined"],
    ["a function", { f: () => 1 }, "input.f is a function"],
    ["a symbol", { s: Symbol("x") }, "input.s is a symbol"],
    ["a big integer", { n: 1n }, "input.n is a bigint"],
    ["a date", { d: new Date(0) }, "input.d is a Date"],
    ["a map", { m: new Map() }, "input.m is a Map"],
    ["bytes", { b: new Uint8Array(1) }, "input.b is a Uint8Array"],
    ["a cycle", cyclic, "nests deeper than 200 levels"],
  ])("%s", (_kind, value, message) => {
    expect(() => copyJson(value, "input")).toThrow(message);
  });

  test("what is too large is refused with its bound", () => {
    expect(() => copyJson({ text: "x".repeat(100) }, "input", { maxBytes: 50 })).toThrow("larger than 50 bytes");
  });

  test.each([null, [], "text", 7])("%j is no object", (value) => {
    expect(() => copyJsonObject(value, "metadata")).toThrow("metadata must be an object");
  });
});
