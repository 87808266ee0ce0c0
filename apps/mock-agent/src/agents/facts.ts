import { defineAgent } from "@agentlightning/runner";
import { z } from "zod";
import { lastOf, textOf } from "../model-server/reply.ts";
import type { HarnessAgent } from "./harness-agent.ts";
import { withModelSpan } from "./model-span.ts";

interface FactTask {
  readonly question: string;
  readonly answer: string;
}

const schema: z.ZodType<FactTask, FactTask> = z.object({ question: z.string(), answer: z.string() });

const completion = z.object({
  id: z.string(),
  model: z.string(),
  choices: z
    .array(z.object({ message: z.object({ content: z.string().nullable() }), finish_reason: z.string() }))
    .min(1),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }),
});

const colours = ["amber", "cobalt", "crimson", "jade", "ochre", "violet"];

/** Questions and answers with plain `fetch`. */
export const factsAgent: HarnessAgent<FactTask> = {
  name: "facts",
  about: "answers questions: plain fetch",
  schema,
  modelSpan: (name) => name.startsWith("chat "),
  create: () =>
    defineAgent<FactTask>(
      async (task, { llm, signal, tracer }) => {
        const messages = [{ role: "user", content: task.question }];
        const { text } = await withModelSpan(tracer, { model: llm.model, messages }, async () => {
          const response = await fetch(`${llm.baseUrl}/chat/completions`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ model: llm.model, messages }),
            signal,
          });
          if (!response.ok) throw new Error(`the model answered ${response.status}: ${await response.text()}`);
          const { id, model, choices, usage } = completion.parse(await response.json());
          return {
            id,
            model,
            text: choices[0]?.message.content ?? "",
            finishReason: choices[0]?.finish_reason,
            inputTokens: usage.prompt_tokens,
            outputTokens: usage.completion_tokens,
          };
        });
        return text.includes(task.answer) ? 1 : 0;
      },
      { name: "facts", schema },
    ),
  generateTasks: (count, random) =>
    Array.from({ length: count }, (_, index) => ({
      question: `What colour is flag number ${index + 1}?`,
      answer: colours[Math.floor(random() * colours.length)] as string,
    })),
  modelRules: ({ tasks }) => {
    const answers = new Map((tasks as readonly FactTask[]).map(({ question, answer }) => [question, answer]));
    return [
      (request) => {
        const answer = answers.get(textOf(lastOf(request, "user")));
        return answer === undefined ? undefined : { content: `It is ${answer}.` };
      },
    ];
  },
  expectedReward: () => 1,
};
