import { findFinalReward } from "@agentlightning/core";
import { defineAgent } from "@agentlightning/runner";
import type { ModelAnswer } from "../agents/model-span.ts";
import { withModelSpan } from "../agents/model-span.ts";
import { rewardSpansOf } from "../run/verify.ts";
import type { Scenario } from "./scenario.ts";

const steps = [0.25, 0.5, 1];

/** A reward after each step, each between the model calls it belongs to. */
export const stepRewards: Scenario = {
  name: "step-rewards",
  about: "a reward after each model call; order and final reward are kept",
  agents: ["facts"],
  taskCount: 6,
  plan: ({ tasks }) => ({
    tasks,
    agent: defineAgent<unknown>(async (task, { llm, tracer, emitReward }) => {
      const messages = [{ role: "user", content: JSON.stringify(task) }];
      for (const step of steps) {
        await withModelSpan(
          tracer,
          { model: llm.model, messages },
          async (): Promise<ModelAnswer> => ({ text: `step ${step}`, model: llm.model }),
        );
        emitReward(step);
      }
    }),
    expect: () => ({ status: "succeeded" }),
    check: (evidence) => {
      const order = evidence.latestSpans.map(({ name }) => (name.startsWith("chat ") ? "call" : "reward")).join(" ");
      const problems: string[] = [];
      if (order !== "call reward call reward call reward") problems.push(`its order is: ${order}`);
      const values = rewardSpansOf(evidence).map((span) => findFinalReward([span]));
      if (JSON.stringify(values) !== JSON.stringify(steps)) problems.push(`its rewards are ${JSON.stringify(values)}`);
      return problems;
    },
    expectedReward: 1,
  }),
};
