import { createTestRuntime } from "@agentlightning/core/testing";
import { expect, test } from "vitest";
import { interpretResult } from "./agent-result.ts";

const owner = () => ({
  rolloutId: "ro-1",
  attemptId: "at-1",
  traceId: "a".repeat(32),
  nowMs: 5_000,
  ids: createTestRuntime().ids,
});

test.each([
  [undefined, { kind: "nothing" }],
  [null, { kind: "nothing" }],
  [true, { kind: "reward", value: 1 }],
  [false, { kind: "reward", value: 0 }],
  [0.25, { kind: "reward", value: 0.25 }],
  [-3, { kind: "reward", value: -3 }],
  [[], { kind: "spans", spans: [] }],
])("%o means %o", (result, meaning) => {
  expect(interpretResult(result, owner())).toEqual(meaning);
});

test.each([
  [Number.NaN, "NaN"],
  [Number.POSITIVE_INFINITY, "Infinity"],
  ["1", "a string"],
  [1n, "a bigint"],
  [Symbol("s"), "a symbol"],
  [{ reward: 1 }, "an object"],
  [new Date(0), "an object (Date)"],
  [() => 1, "a function"],
  [[1], "a list whose item 0 is no span but 1"],
  [[{ name: "fine" }, { name: 1 }], "a list whose item 1 is no span but an object"],
  [[{ name: "fine", attributes: "none" }], "a list whose item 0 is no span but an object"],
])("%o is refused, naming what it is", (result, kind) => {
  expect(() => interpretResult(result, owner())).toThrow(
    expect.objectContaining({ code: "agent_result_invalid", message: expect.stringContaining(`returned ${kind};`) }),
  );
});

test("a core span gets the ids, the times and the empty fields it lacks", () => {
  const result = interpretResult([{ name: "look up", attributes: { room: 4 } }], owner());
  expect(result).toEqual({
    kind: "spans",
    spans: [
      {
        name: "look up",
        rolloutId: "ro-1",
        attemptId: "at-1",
        traceId: "a".repeat(32),
        spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
        status: { statusCode: "UNSET" },
        attributes: { room: 4 },
        events: [],
        links: [],
        startTimeMs: 5_000,
        endTimeMs: 5_000,
        resource: { attributes: {}, schemaUrl: "" },
      },
    ],
  });
});

test("a full span keeps its own ids and times, but belongs to this attempt", () => {
  const full = {
    rolloutId: "ro-other",
    attemptId: "at-other",
    sequenceId: 7,
    traceId: "b".repeat(32),
    spanId: "c".repeat(16),
    parentId: "d".repeat(16),
    name: "call",
    status: { statusCode: "OK" as const },
    attributes: {},
    events: [],
    links: [],
    startTimeMs: 1,
    endTimeMs: 2,
    resource: { attributes: { "service.name": "x" }, schemaUrl: "" },
  };
  expect(interpretResult([full], owner())).toEqual({
    kind: "spans",
    spans: [{ ...full, rolloutId: "ro-1", attemptId: "at-1" }],
  });
});
