import { expect, test } from "vitest";
import { AbortedError, errorCodes, InvalidInputError, LightningError } from "./index.ts";

test("every code says whether a repeat helps and what to do", () => {
  for (const [code, { remedy, retryable }] of Object.entries(errorCodes)) {
    expect([code, typeof retryable, remedy.length > 10]).toEqual([code, "boolean", true]);
  }
});

test("an error of another copy of the package is recognised, by its marker", () => {
  const foreign = Object.assign(new Error("x"), { code: "closed", [Symbol.for("agentlightning.error")]: true });
  expect(LightningError.isInstance(foreign)).toBe(true);
  expect(LightningError.isInstance(foreign, "closed")).toBe(true);
  expect(LightningError.isInstance(foreign, "timeout")).toBe(false);
  expect([new Error("x"), null, undefined, "closed", {}].map((value) => LightningError.isInstance(value))).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});

test("an error keeps its cause, knows whether to repeat, and can be written as JSON", () => {
  const cause = new Error("socket closed");
  const error = new LightningError({
    code: "unavailable",
    message: "the store is away",
    cause,
    details: { host: "a" },
  });
  expect([error.cause, error.retryable, error.name]).toEqual([cause, true, "LightningError"]);
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: "LightningError",
    code: "unavailable",
    message: "the store is away",
    details: { host: "a" },
  });
});

test("subclasses carry their codes", () => {
  expect([new InvalidInputError({ message: "m" }).code, new AbortedError({ message: "m" }).code]).toEqual([
    "invalid_input",
    "aborted",
  ]);
});
