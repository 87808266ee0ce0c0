import { defineAgent } from "@agentlightning/runner";
import type { Scenario } from "./scenario.ts";

/** Each task fails once, and succeeds when it is tried again. */
export const flakyAgent: Scenario = {
  name: "flaky-agent",
  about: "every task fails at its first attempt and succeeds at its second",
  agents: ["facts"],
  taskCount: 6,
  plan: ({ tasks }) => ({
    tasks,
    callsModel: false,
    agent: defineAgent<unknown>((_task, { attempt }) => {
      if (attempt.sequenceId === 1) throw new Error("flaky: the first attempt fails");
      return 1;
    }),
    baseline: { rolloutConfig: { maxAttempts: 3, retryCondition: ["failed"] } },
    expect: () => ({ status: "succeeded", attempts: 2 }),
    check: ({ attempts }) =>
      attempts[0]?.status === "failed" ? [] : [`its first attempt is ${attempts[0]?.status ?? "missing"}`],
  }),
};
