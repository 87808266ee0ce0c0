import { defineAgent } from "@agentlightning/runner";
import type { Scenario } from "./scenario.ts";

/** Each task fails once, and succeeds when it is tried again. */
export const flakyAgent: Scenario = {
  name: "flaky-agent",
  about: "every task fails at its first attempt and succeeds at its second",
  agents: ["facts"],
  taskCount: 6,
  plan: ({ tasks, makeAgent }) => {
    const agent = makeAgent();
    return {
      tasks,
      agent: defineAgent<unknown>(async (task, context) => {
        const result = await agent.run(task, context);
        if (context.attempt.sequenceId === 1) throw new Error("flaky: the first attempt fails after its model call");
        return result;
      }),
      baseline: { rolloutConfig: { maxAttempts: 3, retryCondition: ["failed"] } },
      expect: () => ({ status: "succeeded", attempts: 2 }),
      check: ({ attempts }) =>
        attempts[0]?.status === "failed" ? [] : [`its first attempt is ${attempts[0]?.status ?? "missing"}`],
    };
  },
};
