import { findFinalReward } from "@agentlightning/core";
import { defineAgent } from "@agentlightning/runner";
import { rewardSpansOf } from "../run/verify.ts";
import type { Scenario } from "./scenario.ts";

const steps = [0.25, 0.5, 1];

/** A reward after each step, each between the model calls it belongs to. */
export const stepRewards: Scenario = {
  name: "step-rewards",
  about: "a reward after each model call; order and final reward are kept",
  agents: ["facts"],
  taskCount: 6,
  plan: ({ tasks, makeAgent }) => {
    const agent = makeAgent();
    return {
      tasks,
      agent: defineAgent<unknown>(async (task, context) => {
        for (const step of steps) {
          await agent.run(task, context);
          context.emitReward(step);
        }
      }),
      expect: () => ({ status: "succeeded" }),
      check: (evidence) => {
        const order = evidence.latestSpans.map(({ name }) => (name.startsWith("chat ") ? "call" : "reward")).join(" ");
        const problems: string[] = [];
        if (order !== "call reward call reward call reward") problems.push(`its order is: ${order}`);
        const values = rewardSpansOf(evidence).map((span) => findFinalReward([span]));
        if (JSON.stringify(values) !== JSON.stringify(steps))
          problems.push(`its rewards are ${JSON.stringify(values)}`);
        return problems;
      },
      expectedReward: 1,
    };
  },
};
