import { type ChatRequest, lastOf, type Reply, type ReplyRule, textOf } from "./reply.ts";

/**
 * Replies one after the other, per conversation: the n-th answer of a script goes to the request that has n assistant
 * messages before it, so that rollouts which run at once never take each other's replies.
 */
export function scriptedReplies(script: readonly Reply[]): ReplyRule {
  return (request: ChatRequest) => script[request.messages.filter((message) => message.role === "assistant").length];
}

/** Replies by the text of the last user message: the first entry whose key it contains. */
export function repliesByText(replies: Readonly<Record<string, string | Reply>>): ReplyRule {
  return (request) => {
    const asked = textOf(lastOf(request, "user"));
    const found = Object.entries(replies).find(([key]) => asked.includes(key))?.[1];
    return typeof found === "string" ? { content: found } : found;
  };
}
