import { setTimeout as wait } from "node:timers/promises";
import { defineAgent } from "@agentlightning/runner";
import type { Scenario } from "./scenario.ts";

/** Rollouts that are cancelled while their agents run: the agents are told, and what they report later changes nothing. */
export const cancel: Scenario = {
  name: "cancel",
  about: "a running rollout is cancelled; its agent is aborted at once",
  agents: ["facts"],
  taskCount: 4,
  plan: ({ tasks }) => {
    const aborted = new Set<string>();
    return {
      tasks,
      callsModel: false,
      agent: defineAgent<unknown>(async (_task, { rollout, signal }) => {
        try {
          await wait(60_000, undefined, { signal });
        } finally {
          if (signal.aborted) aborted.add(rollout.rolloutId);
        }
        return 1;
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
