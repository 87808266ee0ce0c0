import type { Agent } from "@agentlightning/runner";
import type { z } from "zod";
import type { ReplyRule } from "../model-server/reply.ts";
import type { Room } from "../rooms/room.ts";

/** What an agent of the harness may need beside its task. */
export interface AgentSetting {
  readonly rooms: readonly Room[];
}

/** What the mock model must know to answer an agent's tasks. */
export interface ModelKnowledge {
  readonly tasks: readonly unknown[];
  /** Share of the answers that are wrong, so that the mean reward is known before. */
  readonly wrongShare: number;
  readonly seed: number;
}

/** One agent of the harness: how its tasks look, how it runs, and how the mock model answers it. */
export interface HarnessAgent<TTask = unknown> {
  readonly name: string;
  /** One line for `--list`. */
  readonly about: string;
  readonly schema: z.ZodType<TTask, TTask>;
  /** Names that its model-call spans go by. */
  readonly modelSpan: (name: string) => boolean;
  create(setting: AgentSetting): Agent<TTask, TTask>;
  /** Tasks of our own making; the same seed gives the same ones. */
  generateTasks(count: number, random: () => number, setting: AgentSetting): readonly TTask[];
  modelRules(knowledge: ModelKnowledge): readonly ReplyRule[];
  /** Mean reward of these tasks, where it can be known before. */
  expectedReward(knowledge: ModelKnowledge): number | undefined;
}
