import { cancel } from "./cancel.ts";
import { failingAgent } from "./failing-agent.ts";
import { flakyAgent } from "./flaky-agent.ts";
import { happyPath } from "./happy-path.ts";
import type { Scenario } from "./scenario.ts";
import { silentAgent } from "./silent-agent.ts";
import { slowAgent } from "./slow-agent.ts";
import { stepRewards } from "./step-rewards.ts";
import { toolUse } from "./tool-use.ts";

/** Every scenario of the harness, in the order they run. */
export const scenarios: readonly Scenario[] = [
  happyPath,
  toolUse,
  stepRewards,
  failingAgent,
  flakyAgent,
  slowAgent,
  silentAgent,
  cancel,
];
