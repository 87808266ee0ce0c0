import { InvalidInputError } from "./errors.ts";

/** Where JSON lines come from: a web stream or any async iterable of text or UTF-8 bytes. */
export type JsonlSource = ReadableStream<Uint8Array | string> | AsyncIterable<Uint8Array | string>;

async function* linesOf(source: JsonlSource): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  for await (const chunk of source) {
    rest += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}

/**
 * Reads JSON lines as they arrive; blank lines are passed over.
 *
 * @param options - `name`: what a broken line is reported under, as `name:line`.
 * @throws dataset_invalid for a line that is no JSON
 */
export async function* jsonl<T>(
  source: JsonlSource,
  options: { readonly name?: string } = {},
): AsyncGenerator<T, void, undefined> {
  const name = options.name ?? "jsonl";
  let line = 0;
  try {
    for await (const text of linesOf(source)) {
      line += 1;
      const trimmed = line === 1 ? text.replace(/^\uFEFF/, "").trim() : text.trim();
      if (trimmed === "") continue;
      yield parseLine(trimmed, `${name}:${line}`) as T;
    }
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new InvalidInputError({ code: "dataset_invalid", message: `${name}:${line + 1} is not valid UTF-8`, cause });
  }
}

function parseLine(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InvalidInputError({
      code: "dataset_invalid",
      message: `${place} is not valid JSON: ${text.length > 80 ? `${text.slice(0, 80)}…` : text}`,
      cause,
      details: { place },
    });
  }
}
