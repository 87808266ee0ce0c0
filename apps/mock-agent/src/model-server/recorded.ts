import { jsonlFile } from "@agentlightning/core/node";
import { type ChatMessage, type ChatRequest, type Reply, type ReplyRule, textOf } from "./reply.ts";

interface Recording {
  readonly request: { readonly messages: readonly ChatMessage[] };
  readonly response: {
    readonly choices: readonly {
      readonly message: {
        readonly content?: string | null;
        readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[];
      };
    }[];
  };
}

/** What makes two conversations the same: roles, texts, and which tools were called with what. */
function keyOf(messages: readonly ChatMessage[]): string {
  return JSON.stringify(
    messages.map((message) => [
      message.role,
      textOf(message),
      (message.tool_calls ?? []).map((call) => [call.function.name, call.function.arguments]),
    ]),
  );
}

function replyOf({ response }: Recording): Reply {
  const message = response.choices[0]?.message;
  const toolCalls = (message?.tool_calls ?? []).map((call) => ({
    name: call.function.name,
    arguments: JSON.parse(call.function.arguments) as Readonly<Record<string, unknown>>,
  }));
  return { content: message?.content ?? undefined, ...(toolCalls.length === 0 ? {} : { toolCalls }) };
}

/** The same for two requests that say the same, in whatever order of keys. */
function wholeKeyOf(request: object): string {
  return JSON.stringify(request, (_key, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

/**
 * Replays recorded traffic: a JSONL file with one `{ request, response }` of the chat completions API a line. A request
 * that was recorded as it is gets that reply, else the first reply to the same conversation.
 *
 * @throws dataset_invalid
 */
export async function recordedReplies(path: string): Promise<ReplyRule> {
  const whole = new Map<string, Reply>();
  const conversations = new Map<string, Reply>();
  for await (const recording of jsonlFile<Recording>(path)) {
    const reply = replyOf(recording);
    const { request } = recording;
    if (!whole.has(wholeKeyOf(request))) whole.set(wholeKeyOf(request), reply);
    if (!conversations.has(keyOf(request.messages))) conversations.set(keyOf(request.messages), reply);
  }
  return (request: ChatRequest) => whole.get(wholeKeyOf(request)) ?? conversations.get(keyOf(request.messages));
}
