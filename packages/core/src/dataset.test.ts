import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Dataset, datasetLength, iterateDataset, jsonl, toArray } from "./index.ts";
import { jsonlFile } from "./node/index.ts";

async function* numbers(): AsyncGenerator<number> {
  yield 1;
  yield 2;
}

async function fileOf(content: string | Uint8Array): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), "dataset-")), "tasks.jsonl");
  await writeFile(file, content);
  return file;
}

describe("every kind of dataset is read in order", () => {
  test.each<[string, Dataset<number>]>([
    ["array", [1, 2]],
    ["indexed object", { length: 2, at: (index) => index + 1 }],
    ["indexed object that answers later", { length: 2, at: async (index) => index + 1 }],
    ["iterable", new Set([1, 2])],
    ["async iterable", numbers()],
  ])("%s", async (_kind, dataset) => {
    expect(await toArray(dataset)).toEqual([1, 2]);
  });

  test("the next sample is asked for only when it is wanted", async () => {
    let asked = 0;
    const dataset = { length: 1_000_000, at: (index: number) => ((asked += 1), index) };
    for await (const sample of iterateDataset(dataset)) if (sample === 2) break;
    expect(asked).toBe(3);
  });

  test("a length is known for what has one", () => {
    expect(datasetLength([1, 2, 3])).toBe(3);
    expect(datasetLength(numbers())).toBeUndefined();
  });

  test("what is no dataset is refused with what one is", async () => {
    await expect(toArray(7 as never)).rejects.toThrow("a dataset is an array");
    await expect(toArray({} as never)).rejects.toThrow("needs `length` and `at(index)`");
  });
});

describe("JSON lines", () => {
  test("chunks may end anywhere, also inside a character", async () => {
    const bytes = new TextEncoder().encode('{"name":"Zoë"}\r\n\n{"name":"二"}');
    async function* chunks() {
      for (const byte of bytes) yield Uint8Array.of(byte);
    }
    expect(await toArray(jsonl(chunks()))).toEqual([{ name: "Zoë" }, { name: "二" }]);
  });

  test("a web stream is read too", async () => {
    expect(await toArray(jsonl(new Blob(['{"a":1}\n{"a":2}\n']).stream()))).toEqual([{ a: 1 }, { a: 2 }]);
  });

  test("a file can be read again for every epoch", async () => {
    const dataset = jsonlFile<number>(await fileOf("1\n2\n"));
    expect([await toArray(dataset), await toArray(dataset)]).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  test("a byte order mark is no part of the first line", async () => {
    expect(await toArray(jsonlFile(await fileOf("\uFEFF1\n")))).toEqual([1]);
  });

  test("a broken line is named by file and line, after the good ones were given", async () => {
    const file = await fileOf('{"a":1}\n\n{broken\n');
    const seen: unknown[] = [];
    const read = async () => {
      for await (const sample of jsonlFile(file)) seen.push(sample);
    };
    await expect(read()).rejects.toMatchObject({
      code: "dataset_invalid",
      message: expect.stringContaining("tasks.jsonl:3 is not valid JSON"),
    });
    expect(seen).toEqual([{ a: 1 }]);
  });

  test("a file that is no UTF-8 is refused", async () => {
    await expect(toArray(jsonlFile(await fileOf(Uint8Array.of(0xff, 0xfe, 0x0a))))).rejects.toMatchObject({
      code: "dataset_invalid",
    });
  });

  test("a file that is not there is named", async () => {
    await expect(toArray(jsonlFile("no-such-file.jsonl"))).rejects.toMatchObject({
      code: "dataset_invalid",
      message: expect.stringContaining("no-such-file.jsonl"),
    });
  });
});
