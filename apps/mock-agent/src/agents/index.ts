import { factsAgent } from "./facts.ts";
import type { HarnessAgent } from "./harness-agent.ts";
import { mathAgent } from "./math.ts";
import { roomsAgent } from "./rooms.ts";
import { storiesAgent } from "./stories.ts";

/** Every agent of the harness. */
export const harnessAgents: readonly HarnessAgent[] = [
  erase(roomsAgent),
  erase(storiesAgent),
  erase(mathAgent),
  erase(factsAgent),
];

/** Forgets the task's type: what is run is checked by the agent's schema first. */
function erase<TTask>(agent: HarnessAgent<TTask>): HarnessAgent {
  return agent as HarnessAgent<never> as HarnessAgent;
}
