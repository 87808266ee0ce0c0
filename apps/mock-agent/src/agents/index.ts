import { factsAgent } from "./facts.ts";
import type { HarnessAgent } from "./harness-agent.ts";
import { mathAgent } from "./math.ts";
import { roomsAgent } from "./rooms.ts";
import { storiesAgent } from "./stories.ts";

/** Every agent of the harness. What is run is checked by the agent's schema first, so the task's type can be forgotten. */
export const harnessAgents: readonly HarnessAgent[] = [roomsAgent, storiesAgent, mathAgent, factsAgent];
