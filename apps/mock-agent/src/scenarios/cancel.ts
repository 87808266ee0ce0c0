import { defineAgent } from "@agentlightning/runner";
import type { Scenario } from "./scenario.ts";

/** Rollouts that are cancelled while their agents run: the agents are told, and what they report later changes nothing. */
export const cancel: Scenario = {
  name: "cancel",
  about: "a running rollout is cancelled; its agent is aborted at once",
  agents: ["facts"],
  taskCount: 4,
  plan: ({ tasks, makeAgent }) => {
    const agent = makeAgent();
    const aborted = new Set<string>();
    return {
      tasks,
      modelRules: [() => ({ content: "too late", delayMs: 60_000 })],
      agent: defineAgent<unknown>(async (task, context) => {
        try {
          return await agent.run(task, context);
        } finally {
          if (context.signal.aborted) aborted.add(context.rollout.rolloutId);
        }
      }),
      beside: async (store, signal) => {
        for await (const { rolloutId, status } of store.watchRollouts({ signal })) {
          if (status === "preparing") await store.updateRollout(rolloutId, { status: "cancelled" });
        }
      },
      expect: () => ({ status: "cancelled" }),
      check: ({ rollout, attempts }) => [
        ...(aborted.has(rollout.rolloutId) || attempts[0]?.endReason === "cancelled" ? [] : ["its agent was not told"]),
        ...(attempts[0]?.endReason === "cancelled"
          ? []
          : [`its attempt ended by ${attempts[0]?.endReason ?? "nothing"} instead of cancelled`]),
      ],
    };
  },
};
