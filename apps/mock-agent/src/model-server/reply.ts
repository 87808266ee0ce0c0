/** A message as an OpenAI-compatible client sends it. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

/** A chat completion request, as far as rules look at it. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean } | null;
  readonly tools?: readonly { readonly type: string; readonly function: { readonly name: string } }[];
}

/** A tool that the model wants called. */
export interface ToolCallReply {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What the mock model answers, or how it fails. */
export interface Reply {
  readonly content?: string | undefined;
  readonly toolCalls?: readonly ToolCallReply[] | undefined;
  /** Wait before the answer, in milliseconds. @defaultValue 0 */
  readonly delayMs?: number | undefined;
  /** Answer with this HTTP status and an error body instead. */
  readonly status?: number | undefined;
  /** Cut the connection after this many streamed chunks. */
  readonly cutAfterChunks?: number | undefined;
}

/** Answers a request, or passes it on to the next rule with `undefined`. Pure: the same request gets the same answer. */
export type ReplyRule = (request: ChatRequest) => Reply | undefined;

/** The text of a message, whether it was sent as a string or as parts. */
export function textOf(message: ChatMessage | undefined): string {
  const content = message?.content;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { readonly text?: unknown }) => (typeof part.text === "string" ? part.text : "")).join("");
}

/** The last message of a role. */
export function lastOf(request: ChatRequest, role: string): ChatMessage | undefined {
  return request.messages.findLast((message) => message.role === role);
}
