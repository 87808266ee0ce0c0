import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { defineAgent } from "@agentlightning/runner";
import { streamText } from "ai";
import { z } from "zod";
import { lastOf, type ReplyRule, textOf } from "../model-server/reply.ts";
import type { HarnessAgent } from "./harness-agent.ts";
import { registerAiTelemetry } from "./telemetry.ts";

interface StoryTask {
  readonly topic: string;
  readonly must_mention: readonly string[];
}

const schema: z.ZodType<StoryTask, StoryTask> = z.object({
  topic: z.string(),
  must_mention: z.array(z.string()).min(1),
});

const mark = "Tell a short story about ";

/** The mock model mentions all words but the last of four, so that rewards differ. */
const tellStory: ReplyRule = (request) => {
  const asked = textOf(lastOf(request, "user"));
  if (!asked.startsWith(mark)) return undefined;
  const [topic = "", words = ""] = asked.slice(mark.length).split(" that mentions: ");
  const told = words.split(", ").slice(0, 3);
  return { content: `Once there was ${topic}. It met ${told.join(" and ")}, and all went well.` };
};

function rewardOf(text: string, task: StoryTask): number {
  return task.must_mention.filter((word) => text.includes(word)).length / task.must_mention.length;
}

const topics = ["a fox", "a lighthouse", "a robot", "a river", "an owl"];
const words = ["moon", "lantern", "bridge", "winter", "garden", "violin"];

/** Story telling with the AI SDK's streaming. */
export const storiesAgent: HarnessAgent<StoryTask> = {
  name: "stories",
  about: "tells short stories: AI SDK streamText",
  schema,
  modelSpan: (name) => name.startsWith("chat "),
  create: () => {
    registerAiTelemetry();
    return defineAgent<StoryTask>(
      async (task, { llm, signal }) => {
        const provider = createOpenAICompatible({
          name: "mock",
          baseURL: llm.baseUrl,
          apiKey: llm.apiKey ?? "none",
          includeUsage: true,
        });
        let failure: unknown;
        const { textStream } = streamText({
          model: provider(llm.model),
          prompt: `${mark}${task.topic} that mentions: ${task.must_mention.join(", ")}`,
          maxRetries: 0,
          abortSignal: signal,
          onError: ({ error }) => {
            failure = error;
          },
        });
        let text = "";
        for await (const part of textStream) text += part;
        if (failure !== undefined) throw failure;
        return rewardOf(text, task);
      },
      { name: "stories", schema },
    );
  },
  generateTasks: (count, random) =>
    Array.from({ length: count }, (_, index) => ({
      topic: topics[index % topics.length] as string,
      must_mention: words.toSorted(() => random() - 0.5).slice(0, 2 + (index % 3)),
    })),
  modelRules: () => [tellStory],
  expectedReward: ({ tasks }) => {
    const known = tasks as readonly StoryTask[];
    const rewards = known.map((task) => Math.min(3, task.must_mention.length) / task.must_mention.length);
    return rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
  },
};
