import { spanNames } from "@agentlightning/core";
import { defineAgent } from "@agentlightning/runner";
import type { Scenario } from "./scenario.ts";

const message = "this task is scripted to fail";

/** Some tasks fail; the others are none the worse for it. */
export const failingAgent: Scenario = {
  name: "failing-agent",
  about: "every third task throws; it fails with its reason, the others succeed",
  agents: ["facts"],
  taskCount: 9,
  plan: ({ tasks, makeAgent }) => {
    const agent = makeAgent();
    const failing = new Set(tasks.filter((_, index) => index % 3 === 0).map((task) => JSON.stringify(task)));
    return {
      tasks,
      agent: defineAgent<unknown>((task, context) => {
        if (failing.has(JSON.stringify(task))) throw new Error(message);
        return agent.run(task, context);
      }),
      expect: (task) => ({ status: failing.has(JSON.stringify(task)) ? "failed" : "succeeded" }),
      check: ({ rollout, latestSpans }) => {
        if (rollout.status !== "failed") return [];
        const exception = latestSpans.find(({ name }) => name === spanNames.exception);
        return [
          ...(rollout.attempt?.error?.includes(message) === true
            ? []
            : [`its attempt does not say why it failed: ${rollout.attempt?.error ?? "nothing"}`]),
          ...(exception === undefined ? ["has no exception span"] : []),
        ];
      },
    };
  },
};
