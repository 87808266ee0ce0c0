import { openMemoryStore } from "@agentlightning/store-memory";
import { describe, expect, test } from "vitest";
import { harnessAgents, runScenario, type ScenarioPlan, scenarios } from "../src/index.ts";
import { verify } from "../src/run/verify.ts";

const pairs = scenarios.flatMap((scenario) => scenario.agents.map((agent) => [scenario.name, agent] as const));

test("every agent takes part in some scenario", () => {
  expect(new Set(pairs.map(([, agent]) => agent))).toEqual(new Set(harnessAgents.map(({ name }) => name)));
});

describe("what the store holds is what the scenario promises", () => {
  test.each(pairs)("%s with the %s agent", async (scenario, agent) => {
    const { passed, problems } = await runScenario(scenario, { agent });
    expect({ passed, problems }).toEqual({ passed: true, problems: [] });
  });
});

test("room booking: tool and model-call spans stand under one root, with content and a reward", async () => {
  await using store = openMemoryStore();
  await runScenario("tool-use", { store, runners: 1 });
  const { items } = await store.queryRollouts();
  const { items: spans } = await store.querySpans(items[0]?.rolloutId ?? "");
  const depth = (id: string | undefined): number => {
    const span = spans.find(({ spanId }) => spanId === id);
    return span === undefined ? 0 : 1 + depth(span.parentId);
  };
  expect(spans.map(({ name, spanId }) => `${depth(spanId)} ${name}`)).toEqual([
    "1 invoke_agent mock",
    "2 step 1",
    "3 chat mock",
    "3 execute_tool look_up_rooms",
    "2 step 2",
    "3 chat mock",
    "1 agentlightning.annotation",
  ]);
});

test("a wrong share of answers makes the mean reward known before, for any seed", async () => {
  const tasks = Array.from({ length: 60 }, (_, index) => ({ input: `Sum ${index}?`, target: index / 4 - 3 }));
  const means = await Promise.all(
    [1, 2, 3].map(async (seed) => (await runScenario("happy-path", { agent: "math", tasks, seed })).report.totals),
  );
  for (const { rewards } of means) expect(rewards.mean).toSatisfy((mean: number) => mean > 0.5 && mean < 1);
});

describe("verification notices", () => {
  /** Runs one task, then holds what came of it against another promise. */
  async function problemsOf(differing: Partial<ScenarioPlan>): Promise<readonly string[]> {
    await using store = openMemoryStore();
    const tasks = [{ question: "What colour?", answer: "jade" }];
    const { report } = await runScenario("happy-path", { agent: "facts", tasks, store });
    const scenario = scenarios[0];
    const harnessAgent = harnessAgents.find(({ name }) => name === "facts");
    if (scenario === undefined || harnessAgent === undefined) throw new Error("the harness is empty");
    const makeAgent = () => harnessAgent.create({ rooms: [] });
    const plan = { ...scenario.plan({ agent: harnessAgent, tasks, makeAgent }), ...differing };
    const problems = await verify({ store, report, harnessAgent, plan });
    return problems.map((problem) => problem.replace(/^rollout \S+: /, ""));
  }

  test("nothing where all holds", async () => {
    expect(await problemsOf({})).toEqual([]);
  });

  test("another outcome, other attempts and an unexpected reward", async () => {
    expect(await problemsOf({ expect: () => ({ status: "failed", attempts: 2 }) })).toEqual([
      "is succeeded instead of failed",
      "has 1 attempts instead of 2",
      "has a reward (1) though none was given",
    ]);
  });

  test("a task that was not run, and one that nobody planned", async () => {
    expect(await problemsOf({ tasks: [{ question: "Another?", answer: "ochre" }] })).toEqual([
      'a task was run 0 times instead of 1: {"question":"Another?","answer":"ochre"}',
      'a task was run 1 times instead of 0: {"question":"What colour?","answer":"jade"}',
    ]);
  });

  test("another mean reward", async () => {
    expect(await problemsOf({ expectedReward: 0.5 })).toEqual(["the mean reward is 1 instead of 0.5"]);
  });
});
