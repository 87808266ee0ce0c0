import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, streamText, tool } from "ai";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { recordedReplies, repliesByText, type ReplyRule, scriptedReplies, startModelServer } from "../src/index.ts";

function openAi(endpoint: string): OpenAI {
  return new OpenAI({ baseURL: endpoint, apiKey: "none", maxRetries: 0 });
}

function asked(content: string) {
  return { model: "mock", messages: [{ role: "user" as const, content }] };
}

describe("the OpenAI SDK", () => {
  test("gets a completion, the same to the letter each time", async () => {
    await using server = await startModelServer({ rules: [repliesByText({ capital: "It is Paris." })] });
    const client = openAi(server.endpoint);
    const first = await client.chat.completions.create(asked("Which capital?"));
    expect(await client.chat.completions.create(asked("Which capital?"))).toEqual(first);
    expect(first.choices[0]).toEqual({
      index: 0,
      message: { role: "assistant", content: "It is Paris." },
      finish_reason: "stop",
    });
    expect(first.usage).toEqual({ prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 });
  });

  test("reads a stream whose last chunk has the usage it asked for", async () => {
    await using server = await startModelServer({ rules: [repliesByText({ count: "one two three" })] });
    const stream = await openAi(server.endpoint).chat.completions.create({
      ...asked("count"),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("one two three");
    expect(chunks.at(-1)?.usage).toEqual({ prompt_tokens: 1, completion_tokens: 3, total_tokens: 4 });
  });

  test("lists the model", async () => {
    await using server = await startModelServer({ rules: [] });
    const models = await Array.fromAsync(openAi(server.endpoint).models.list());
    expect(models.map(({ id }) => id)).toEqual(["mock"]);
  });

  test("is refused loudly when no rule answers: the error names the prompt", async () => {
    await using server = await startModelServer({ rules: [repliesByText({ known: "yes" })] });
    await expect(openAi(server.endpoint).chat.completions.create(asked("something else"))).rejects.toMatchObject({
      status: 400,
      message: "400 the mock model has no reply for: something else",
    });
    expect(server.calls.map(({ reply }) => reply)).toEqual([undefined]);
  });

  test("sees the status that a reply is scripted to fail with", async () => {
    await using server = await startModelServer({ rules: [() => ({ status: 503 })] });
    await expect(openAi(server.endpoint).chat.completions.create(asked("x"))).rejects.toMatchObject({ status: 503 });
  });

  test("notices a stream that is cut", async () => {
    await using server = await startModelServer({ rules: [() => ({ content: "a b c d", cutAfterChunks: 2 })] });
    const reading = (async () =>
      Array.fromAsync(await openAi(server.endpoint).chat.completions.create({ ...asked("x"), stream: true })))();
    await expect(reading).rejects.toThrow(/terminated/);
  });
});

describe("the AI SDK", () => {
  const callThenTell: ReplyRule = (request) => {
    const result = request.messages.findLast(({ role }) => role === "tool");
    if (result === undefined) return { toolCalls: [{ name: "add", arguments: { a: 2, b: 3 } }] };
    return { content: `The tool says ${JSON.stringify(result.content)}` };
  };

  test("calls the tool that the model asks for and hands back what it returned", async () => {
    await using server = await startModelServer({ rules: [callThenTell] });
    const provider = createOpenAICompatible({ name: "mock", baseURL: server.endpoint });
    const { text, steps } = await generateText({
      model: provider("mock"),
      prompt: "add",
      tools: {
        add: tool({ inputSchema: z.object({ a: z.number(), b: z.number() }), execute: ({ a, b }) => `${a + b}` }),
      },
      stopWhen: isStepCount(3),
      maxRetries: 0,
    });
    expect(text).toBe('The tool says "5"');
    expect(steps).toHaveLength(2);
  });

  test("streams text with usage", async () => {
    await using server = await startModelServer({ rules: [() => ({ content: "once upon a time" })] });
    const provider = createOpenAICompatible({ name: "mock", baseURL: server.endpoint, includeUsage: true });
    const result = streamText({ model: provider("mock"), prompt: "tell", maxRetries: 0 });
    expect((await Array.fromAsync(result.textStream)).join("")).toBe("once upon a time");
    expect((await result.usage).outputTokens).toBe(4);
  });
});

describe("scripts", () => {
  test("belong to a conversation, so that conversations at once never take each other's replies", async () => {
    const rule = scriptedReplies([{ content: "first" }, { content: "second" }]);
    await using server = await startModelServer({ rules: [rule] });
    const client = openAi(server.endpoint);
    const converse = async (name: string): Promise<readonly (string | null | undefined)[]> => {
      const one = await client.chat.completions.create(asked(name));
      const two = await client.chat.completions.create({
        model: "mock",
        messages: [
          { role: "user", content: name },
          { role: "assistant", content: "first" },
          { role: "user", content: "go on" },
        ],
      });
      return [one, two].map(({ choices }) => choices[0]?.message.content);
    };
    expect(await Promise.all(["a", "b", "c"].map(converse))).toEqual(
      Array.from({ length: 3 }, () => ["first", "second"]),
    );
  });

  test("are refused loudly when they are used up", async () => {
    await using server = await startModelServer({ rules: [scriptedReplies([])] });
    await expect(openAi(server.endpoint).chat.completions.create(asked("more"))).rejects.toThrow("no reply for: more");
  });
});

test("recorded replies are matched by the messages, whatever else differs", async () => {
  const folder = await mkdtemp(join(tmpdir(), "recorded-"));
  try {
    const file = join(folder, "recorded.jsonl");
    const message = { role: "assistant", content: "Bonjour" };
    const recording = { request: asked("Hello in French?"), response: { choices: [{ index: 0, message }] } };
    await writeFile(file, `${JSON.stringify(recording)}\n`);
    await using server = await startModelServer({ rules: [await recordedReplies(file)] });
    const client = openAi(server.endpoint);
    const answer = await client.chat.completions.create({ ...asked("Hello in French?"), temperature: 0.3 });
    expect(answer.choices[0]?.message.content).toBe("Bonjour");
    await expect(client.chat.completions.create(asked("Hello in Dutch?"))).rejects.toThrow("no reply for");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("what is no chat completion request is refused with a reason", async () => {
  await using server = await startModelServer({ rules: [] });
  const post = async (path: string, body: string): Promise<readonly [number, unknown]> => {
    const response = await fetch(new URL(path, server.endpoint), { method: "POST", body });
    const { error } = (await response.json()) as { error: { message: string } };
    return [response.status, error.message];
  };
  expect(await post("/v1/chat/completions", '{"model":"mock"}')).toEqual([
    400,
    "a chat completion request needs a model and messages",
  ]);
  expect((await post("/v1/chat/completions", "{"))[0]).toBe(400);
  expect((await post("/v1/elsewhere", "{}"))[0]).toBe(404);
});
