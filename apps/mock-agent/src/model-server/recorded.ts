import { toArray } from "@agentlightning/core";
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

/** Replays recorded traffic: a JSONL file with one `{ request, response }` of the chat completions API a line. @throws dataset_invalid */
export async function recordedReplies(path: string): Promise<ReplyRule> {
  const recordings = await toArray(jsonlFile<Recording>(path));
  const replies = new Map(recordings.map((recording) => [keyOf(recording.request.messages), replyOf(recording)]));
  return (request: ChatRequest) => replies.get(keyOf(request.messages));
}
