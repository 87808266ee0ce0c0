import { createServer } from "node:http";

/** A model that can add two numbers, so that the example needs no key and no network. */
export async function startLocalModel(): Promise<{ endpoint: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as { messages: { content: string }[] };
    const numbers = (messages.at(-1)?.content ?? "").match(/\d+/g) ?? [];
    const sum = numbers.reduce((total, digits) => total + Number(digits), 0);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content: `The answer is ${sum}.` } }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the local model has no port");
  return {
    endpoint: `http://127.0.0.1:${address.port}/v1`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
