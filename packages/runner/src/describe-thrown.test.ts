import fc from "fast-check";
import { expect, test } from "vitest";
import { describeThrown } from "./describe-thrown.ts";

const withThrowingMessage = Object.defineProperty(new Error("hidden"), "message", {
  get: () => {
    throw new Error("no message for you");
  },
});
Object.defineProperty(withThrowingMessage, "stack", { value: undefined });

const circular = new Error("first");
circular.cause = new Error("second", { cause: circular });

test.each([
  ["undefined", undefined, "the agent threw undefined"],
  ["null", null, "the agent threw null"],
  ["a string", "x", "the agent threw x"],
  ["an empty string", "", "the agent threw an empty string"],
  ["zero", 0, "the agent threw 0"],
  ["a symbol", Symbol("s"), "the agent threw Symbol(s)"],
  ["a frozen object", Object.freeze({ code: 7 }), 'Error: {"code":7}'],
  ["an error", new TypeError("wrong"), "TypeError: wrong"],
  ["an error with a throwing message getter", withThrowingMessage, "Error: no readable message"],
  ["a circular cause", circular, "Error: first; caused by: second"],
  [
    "an aggregate",
    new AggregateError([new Error("a"), "b"], "both"),
    "AggregateError: both [Error: a; the agent threw b]",
  ],
])("%s gets a readable reason", (_, thrown, text) => {
  expect(describeThrown(thrown).text).toBe(text);
});

test("a message of 5 MB is shortened, and says by how much", () => {
  const { text } = describeThrown(new Error("m".repeat(5_000_000)));
  expect(text.length).toBeLessThan(9_000);
  expect(text).toContain("4995904 more characters");
});

test("a proxy that throws at every look is described all the same", () => {
  const hostile = new Proxy(
    {},
    {
      get: () => {
        throw new Error("hands off");
      },
      has: () => {
        throw new Error("hands off");
      },
    },
  );
  expect(describeThrown(hostile).text).toBe("Error: an object that cannot be shown");
});

test("whatever is thrown, the text is not empty and is bounded", () => {
  fc.assert(
    fc.property(fc.anything({ withBigInt: true, withNullPrototype: true, withDate: true }), (thrown) => {
      const { text } = describeThrown(thrown);
      expect(text.length).toBeGreaterThan(0);
      expect(text.length).toBeLessThan(9_000);
    }),
  );
});
