import { LightningError } from "@agentlightning/core";
import { expect, test } from "vitest";
import { checkId, checkNumber, checkObject, checkOneOf, checkSignal, shown } from "./validate.ts";

const unprintable = [Object.create(null), { toString: null, valueOf: null }, Symbol("odd"), 10n, () => 1, [], null];

test("whatever is refused, the refusal can be written down and is short", () => {
  expect(unprintable.map(shown)).toEqual([
    "an object",
    "an object",
    "Symbol(odd)",
    "10",
    "a function",
    "a list",
    "null",
  ]);
  expect(shown("x".repeat(1_000))).toBe(`${"x".repeat(100)}…`);
});

test("a value of the wrong kind is refused with a typed error, never with one of the language", () => {
  const checks = [
    (value: unknown) => checkId(value, "id"),
    (value: unknown) => checkNumber(value, "count", 0, true),
    (value: unknown) => checkOneOf(value, ["a"], "letter"),
    (value: unknown) => checkSignal(value as AbortSignal),
  ];
  const codes = checks.map((check) =>
    unprintable.map((value) => {
      try {
        return check(value);
      } catch (cause) {
        return LightningError.isInstance(cause) ? cause.code : cause;
      }
    }),
  );
  expect(codes).toEqual(checks.map(() => unprintable.map(() => "invalid_input")));
});

test("a list is no object, and a signal of another realm is as good as one of this", () => {
  expect(() => checkObject([], "options")).toThrow("options must be an object, got a list");
  const foreign = { aborted: false, addEventListener: () => undefined, removeEventListener: () => undefined };
  expect(checkSignal(foreign as never)).toBe(foreign);
});
