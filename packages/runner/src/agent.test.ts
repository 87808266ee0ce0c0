import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { type Agent, defineAgent } from "./agent.ts";
import type { AgentContext } from "./agent-context.ts";

function contextOf(mode: AgentContext["mode"]): AgentContext {
  const missing = (): never => {
    throw new Error("not needed here");
  };
  return new Proxy(Object.create(null), { get: (_, key) => (key === "mode" ? mode : missing()) });
}

const by = (name: string) => () => [{ name }];

test("the function form runs for every mode and takes the function's name", () => {
  const agent = defineAgent(function answering() {
    return 1;
  });
  expect(agent.name).toBe("answering");
  for (const mode of ["train", "val", "test", undefined] as const) expect(agent.run(0, contextOf(mode))).toBe(1);
});

test.each([
  [{ rollout: by("rollout") }, ["rollout", "rollout", "rollout", "rollout"]],
  [{ rollout: by("rollout"), train: by("train") }, ["train", "rollout", "rollout", "rollout"]],
  [{ train: by("train"), val: by("val") }, ["train", "val", "val", "val"]],
  [
    { rollout: by("rollout"), train: by("train"), val: by("val"), test: by("test") },
    ["train", "val", "test", "rollout"],
  ],
])("functions per mode: %o runs %o for train, val, test and no mode", (definition, names) => {
  const agent = defineAgent(definition);
  const ran = (["train", "val", "test", undefined] as const).map((mode) => agent.run(0, contextOf(mode)));
  expect(ran).toEqual(names.map((name) => [{ name }]));
});

test("an agent without any function is refused where it is defined", () => {
  expect(() => defineAgent({ train: by("train") })).toThrow(
    expect.objectContaining({ code: "invalid_options", message: expect.stringContaining("`rollout`") }),
  );
});

test("the task's type comes from the schema: its output for the agent, its input for the dataset", () => {
  const schema = z.object({ count: z.string().transform(Number) });
  const agent = defineAgent({ schema, rollout: (task) => task.count });
  expectTypeOf(agent).toEqualTypeOf<Agent<{ count: number }, { count: string }>>();
});

test("a result of another kind does not type-check", () => {
  // @ts-expect-error a string is no result
  defineAgent(() => "done");
  expectTypeOf(defineAgent<{ a: 1 }>)
    .parameter(0)
    .parameter(0)
    .toEqualTypeOf<{ a: 1 }>();
});
