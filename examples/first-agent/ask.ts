interface ChatReply {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
}

/** One chat completion with plain `fetch`. */
export async function ask(
  llm: { readonly baseUrl: string; readonly model: string },
  question: string,
  signal: AbortSignal,
): Promise<string> {
  const response = await fetch(`${llm.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: llm.model, messages: [{ role: "user", content: question }] }),
    signal,
  });
  if (!response.ok) throw new Error(`the model answered ${response.status}`);
  const reply = (await response.json()) as ChatReply;
  return reply.choices[0]?.message.content ?? "";
}
