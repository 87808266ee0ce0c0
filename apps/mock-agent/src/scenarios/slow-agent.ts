import type { Scenario } from "./scenario.ts";

/** A model that takes longer than the attempt may: the agent is told to stop, and its attempt times out. */
export const slowAgent: Scenario = {
  name: "slow-agent",
  about: "the model takes too long; the agent is aborted, its attempt is a timeout",
  agents: ["facts"],
  taskCount: 4,
  plan: ({ tasks, makeAgent }) => ({
    tasks,
    agent: makeAgent(),
    modelRules: [() => ({ content: "too late", delayMs: 60_000 })],
    baseline: { rolloutConfig: { timeoutMs: 150 } },
    expect: () => ({ status: "failed" }),
    check: ({ attempts }) =>
      attempts[0]?.status === "timeout"
        ? []
        : [`its attempt is ${attempts[0]?.status ?? "missing"} instead of timeout`],
  }),
};
