import { setTimeout as wait } from "node:timers/promises";
import { defineAgent } from "@agentlightning/runner";
import type { Scenario } from "./scenario.ts";

/** An agent that takes longer than it may is told to stop, and its attempt times out. */
export const slowAgent: Scenario = {
  name: "slow-agent",
  about: "an agent that exceeds its time is aborted; its attempt is a timeout",
  agents: ["facts"],
  taskCount: 4,
  plan: ({ tasks }) => ({
    tasks,
    callsModel: false,
    agent: defineAgent<unknown>(async (_task, { signal }) => {
      await wait(60_000, undefined, { signal });
      return 1;
    }),
    baseline: { rolloutConfig: { timeoutMs: 150 } },
    expect: () => ({ status: "failed" }),
    check: ({ attempts }) =>
      attempts[0]?.status === "timeout"
        ? []
        : [`its attempt is ${attempts[0]?.status ?? "missing"} instead of timeout`],
  }),
};
