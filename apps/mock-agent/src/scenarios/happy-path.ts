import type { Scenario } from "./scenario.ts";

/** Every task runs to its end, with its model calls, its tools and its reward. */
export const happyPath: Scenario = {
  name: "happy-path",
  about: "every task succeeds, with model-call spans and a reward",
  agents: ["rooms", "stories", "math", "facts"],
  taskCount: 8,
  plan: ({ makeAgent, tasks }) => ({ agent: makeAgent(), tasks, expect: () => ({ status: "succeeded" }) }),
};
