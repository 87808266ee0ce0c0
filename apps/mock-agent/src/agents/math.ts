import { defineAgent } from "@agentlightning/runner";
import OpenAI from "openai";
import { z } from "zod";
import { lastOf, textOf } from "../model-server/reply.ts";
import type { HarnessAgent, ModelKnowledge } from "./harness-agent.ts";
import { withModelSpan } from "./model-span.ts";
import { isInShare } from "./seeded-share.ts";

interface MathTask {
  readonly input: string;
  readonly target: number;
}

const schema: z.ZodType<MathTask, MathTask> = z.object({
  input: z.string(),
  target: z.number(),
  code: z.string().optional(),
});

const instructions = "Solve the problem. End with a line: Answer: <number>";

function answerFor(task: MathTask, { seed, wrongShare }: ModelKnowledge): string {
  const value = isInShare(task.input, seed, wrongShare) ? task.target + 1 : task.target;
  return `I worked it out step by step.\nAnswer: ${value}`;
}

function readAnswer(text: string): number {
  return Number(/Answer:\s*(\S+)\s*$/.exec(text)?.[1] ?? Number.NaN);
}

/** Word problems with the OpenAI SDK. */
export const mathAgent: HarnessAgent<MathTask> = {
  name: "math",
  about: "solves word problems: OpenAI SDK",
  schema,
  modelSpan: (name) => name.startsWith("chat "),
  create: () =>
    defineAgent<MathTask>(
      async (task, { llm, signal, tracer }) => {
        const client = new OpenAI({ baseURL: llm.baseUrl, apiKey: llm.apiKey ?? "none", maxRetries: 0 });
        const messages = [
          { role: "system" as const, content: instructions },
          { role: "user" as const, content: task.input },
        ];
        const { text } = await withModelSpan(tracer, { model: llm.model, messages }, async () => {
          const completion = await client.chat.completions.create({ model: llm.model, messages }, { signal });
          const [choice] = completion.choices;
          return {
            text: choice?.message.content ?? "",
            model: completion.model,
            id: completion.id,
            finishReason: choice?.finish_reason,
            inputTokens: completion.usage?.prompt_tokens,
            outputTokens: completion.usage?.completion_tokens,
          };
        });
        return Math.abs(readAnswer(text) - task.target) < 1e-6 ? 1 : 0;
      },
      { name: "math", schema },
    ),
  generateTasks: (count, random) =>
    Array.from({ length: count }, (_, index) => {
      const crates = 2 + Math.floor(random() * 40);
      const each = 2 + Math.floor(random() * 30);
      return {
        input: `Shelf ${index + 1}: ${crates} crates hold ${each} apples each. How many apples are there?`,
        target: crates * each,
      };
    }),
  modelRules: (knowledge) => {
    const known = new Map((knowledge.tasks as readonly MathTask[]).map((task) => [task.input, task]));
    return [
      (request) => {
        const task = known.get(textOf(lastOf(request, "user")));
        return task === undefined ? undefined : { content: answerFor(task, knowledge) };
      },
    ];
  },
  expectedReward: ({ tasks, seed, wrongShare }) =>
    (tasks as readonly MathTask[]).filter((task) => !isInShare(task.input, seed, wrongShare)).length / tasks.length,
};
