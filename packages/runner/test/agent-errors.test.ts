import { expect, test } from "vitest";
import { defineAgent } from "../src/index.ts";
import { openStore, runOne, startRunner, stored } from "./support.ts";

const throwingMessage = Object.defineProperty(new Error("hidden"), "message", {
  get: () => {
    throw new Error("no message");
  },
});
const circular = new Error("first");
circular.cause = new Error("second", { cause: circular });

const thrown: readonly (readonly [string, unknown, RegExp])[] = [
  ["undefined", undefined, /threw undefined/],
  ["null", null, /threw null/],
  ["a string", "x", /threw x/],
  ["zero", 0, /threw 0/],
  ["a symbol", Symbol("s"), /threw Symbol\(s\)/],
  ["a frozen object", Object.freeze({ code: 7 }), /"code":7/],
  ["an error whose message throws", throwingMessage, /no readable message/],
  ["an aggregate", new AggregateError([new Error("a")], "both"), /both \[Error: a\]/],
  ["a circular cause", circular, /first; caused by: second/],
  ["5 MB of message", new Error("m".repeat(5_000_000)), /more characters/],
];

test("whatever an agent throws, now or later, fails its attempt with a readable reason, and the runner goes on", async () => {
  const store = openStore();
  const agent = defineAgent<{ index: number; later: boolean }>(({ index, later }) => {
    const error = thrown[index]?.[1];
    if (later) return Promise.reject(error);
    throw error;
  });
  const inputs = thrown.flatMap((_, index) => [
    { index, later: false },
    { index, later: true },
  ]);
  const rollouts = await store.enqueueManyRollouts(inputs.map((input) => ({ input })));
  startRunner({ store, agent, concurrency: 4 });
  const finished = await store.waitForRollouts(rollouts.map(({ rolloutId }) => rolloutId));
  expect(finished.map(({ status }) => status)).toEqual(inputs.map(() => "failed"));
  for (const [position, { index }] of inputs.entries()) {
    const { error, endReason, spans } = await stored(store, rollouts[position]?.rolloutId ?? "");
    expect(error).toMatch(thrown[index]?.[2] ?? /never/);
    expect(error?.length).toBeLessThan(9_000);
    expect(endReason).toBe("agent_error");
    expect(spans.map(({ name }) => name)).toEqual(["agentlightning.exception"]);
  }
});

test("the exception span says what was thrown", async () => {
  const agent = defineAgent(() => {
    throw new RangeError("too far");
  });
  const { spans } = await runOne(agent);
  expect(JSON.stringify(spans[0]?.attributes)).toContain("too far");
  expect(JSON.stringify(spans[0]?.attributes)).toContain("RangeError");
});

test("status comes from the agent and never from its spans", async () => {
  const recovered = defineAgent((_, { tracer }) => [
    { name: "model call", status: { statusCode: "ERROR" as const, description: "429" } },
    { name: `second try with ${typeof tracer.startSpan}`, status: { statusCode: "OK" as const } },
  ]);
  const { rollout, spans } = await runOne(recovered);
  expect({ rollout, statuses: spans.map(({ status }) => status.statusCode) }).toEqual({
    rollout: "succeeded",
    statuses: ["ERROR", "OK"],
  });
  const allFine = defineAgent((_, { tracer }) => {
    tracer.startSpan("model call").end();
    throw new Error("but then");
  });
  expect(await runOne(allFine)).toMatchObject({ rollout: "failed" });
});
