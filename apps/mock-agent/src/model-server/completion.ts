import type { ChatRequest, Reply } from "./reply.ts";
import { textOf } from "./reply.ts";

/** Words, counted the same everywhere: no tokenizer's table is needed for a mock. */
function countTokens(text: string): number {
  return text.split(/\s+/).filter((word) => word !== "").length;
}

/** A short stable digest of what was asked, so that ids are the same in every run. */
export function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
}

function usageOf(request: ChatRequest, reply: Reply) {
  const prompt = request.messages.reduce((sum, message) => sum + countTokens(textOf(message)), 0);
  const completion = countTokens(reply.content ?? "") + (reply.toolCalls ?? []).length * 8;
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

function toolCallsOf(reply: Reply, seed: string) {
  return (reply.toolCalls ?? []).map((call, index) => ({
    id: `call_${seed}_${index}`,
    type: "function" as const,
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
}

/** Fixed, so that two runs of one seed are the same to the letter. */
const created = 1_700_000_000;

/** The whole answer as one body. */
export function toCompletion(request: ChatRequest, reply: Reply): unknown {
  const seed = digest(JSON.stringify(request.messages));
  const toolCalls = toolCallsOf(reply, seed);
  return {
    id: `chatcmpl-${seed}`,
    object: "chat.completion",
    created,
    model: request.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: reply.content ?? null,
          ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
        },
        finish_reason: toolCalls.length === 0 ? "stop" : "tool_calls",
      },
    ],
    usage: usageOf(request, reply),
  };
}

/** The same answer as the chunks of a stream. */
export function toChunks(request: ChatRequest, reply: Reply): readonly unknown[] {
  const seed = digest(JSON.stringify(request.messages));
  const toolCalls = toolCallsOf(reply, seed);
  const chunk = (delta: unknown, finish: string | null) => ({
    id: `chatcmpl-${seed}`,
    object: "chat.completion.chunk",
    created,
    model: request.model,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const words = (reply.content ?? "").match(/\S+\s*/g) ?? [];
  return [
    chunk({ role: "assistant", content: "" }, null),
    ...words.map((word) => chunk({ content: word }, null)),
    ...toolCalls.map((call, index) => chunk({ tool_calls: [{ index, ...call }] }, null)),
    chunk({}, toolCalls.length === 0 ? "stop" : "tool_calls"),
    ...(request.stream_options?.include_usage === true
      ? [
          {
            id: `chatcmpl-${seed}`,
            object: "chat.completion.chunk",
            created,
            model: request.model,
            choices: [],
            usage: usageOf(request, reply),
          },
        ]
      : []),
  ];
}
