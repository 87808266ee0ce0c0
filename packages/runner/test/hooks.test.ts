import { emitMessage } from "@agentlightning/otel";
import { expect, test } from "vitest";
import { defineAgent, type RunnerHooks } from "../src/index.ts";
import { runOne } from "./support.ts";

function recording(name: string, calls: string[]): RunnerHooks {
  return {
    onRolloutStart: ({ rollout }) => void calls.push(`${name} rollout start ${rollout.status}`),
    onTraceStart: () => void calls.push(`${name} trace start`),
    onTraceEnd: async () => {
      await Promise.resolve();
      calls.push(`${name} trace end`);
    },
    onRolloutEnd: ({ spans, outcome, error }) =>
      void calls.push(`${name} rollout end ${outcome} ${spans.length} ${String(error)}`),
  };
}

test("hooks run around the attempt, several in the order given, and the last sees the spans", async () => {
  const calls: string[] = [];
  const agent = defineAgent(() => {
    calls.push("agent");
    return 1;
  });
  await runOne(agent, { hooks: [recording("a", calls), recording("b", calls)] });
  expect(calls).toEqual([
    "a rollout start preparing",
    "b rollout start preparing",
    "a trace start",
    "b trace start",
    "agent",
    "a trace end",
    "b trace end",
    "a rollout end succeeded 1 undefined",
    "b rollout end succeeded 1 undefined",
  ]);
});

test("the hooks at the end run after an error too, and are told it", async () => {
  const calls: string[] = [];
  const agent = defineAgent(() => {
    throw new Error("no");
  });
  await runOne(agent, { hooks: [recording("a", calls)] });
  expect(calls.slice(2)).toEqual(["a trace end", "a rollout end failed 1 Error: no"]);
});

test("spans that trace hooks emit belong to the attempt", async () => {
  const hooks = [{ onTraceStart: () => emitMessage("before"), onTraceEnd: () => emitMessage("after") }];
  const { spans } = await runOne(
    defineAgent(() => emitMessage("during")),
    { hooks },
  );
  expect(spans.map(({ attributes }) => Object.values(attributes)[0])).toEqual(["before", "during", "after"]);
});

test("a hook that throws, at once or later, is logged and changes nothing", async () => {
  const calls: string[] = [];
  const broken: RunnerHooks = {
    onRolloutStart: () => {
      throw new Error("at once");
    },
    onTraceStart: () => Promise.reject(new Error("later")),
    onTraceEnd: () => {
      throw undefined;
    },
    onRolloutEnd: () => Promise.reject(new Error("at the end")),
  };
  const { rollout, reward, lines } = await runOne(
    defineAgent(() => 1),
    { hooks: [broken, recording("after", calls)] },
  );
  expect({ rollout, reward }).toEqual({ rollout: "succeeded", reward: 1 });
  expect(calls).toHaveLength(4);
  expect(lines.filter((line) => line.startsWith("error hook"))).toEqual([
    "error hook onRolloutStart threw: Error: at once",
    "error hook onTraceStart threw: Error: later",
    "error hook onTraceEnd threw: the agent threw undefined",
    "error hook onRolloutEnd threw: Error: at the end",
  ]);
});
