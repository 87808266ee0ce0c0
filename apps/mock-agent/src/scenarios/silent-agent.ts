import { setTimeout as wait } from "node:timers/promises";
import { defineAgent } from "@agentlightning/runner";
import type { Scenario } from "./scenario.ts";

/** An agent that gives no sign of life is given up, and tried again. */
export const silentAgent: Scenario = {
  name: "silent-agent",
  about: "a silent attempt becomes unresponsive and is retried",
  agents: ["facts"],
  taskCount: 4,
  plan: ({ tasks, makeAgent }) => {
    const agent = makeAgent();
    return {
      tasks,
      agent: defineAgent<unknown>(async (task, context) => {
        const { attempt, signal } = context;
        if (attempt.sequenceId === 1) await wait(60_000, undefined, { signal });
        return agent.run(task, context);
      }),
      baseline: { rolloutConfig: { unresponsiveMs: 150, maxAttempts: 2, retryCondition: ["unresponsive"] } },
      expect: () => ({ status: "succeeded", attempts: 2 }),
      check: ({ attempts }) =>
        attempts[0]?.status === "unresponsive"
          ? []
          : [`its first attempt is ${attempts[0]?.status ?? "missing"} instead of unresponsive`],
    };
  },
};
