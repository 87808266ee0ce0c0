import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { writeSnippets } from "../scripts/snippets.ts";
import { root, sourceCondition } from "../scripts/workspace.ts";

const snippets = writeSnippets("snippets-run");

test("the README has a snippet to start from", () => {
  expect(readFileSync(join(root, "README.md"), "utf8")).toMatch(/^```ts$/m);
});

describe("a snippet runs as it stands", () => {
  test.each(snippets.map(({ place, file }) => [place, file] as const))("%s", { timeout: 60_000 }, async (_, file) => {
    // Its exit code is the verdict: execFile rejects, with what the snippet printed, when it isn't 0.
    const { stderr } = await promisify(execFile)(
      process.execPath,
      [`--conditions=${sourceCondition}`, "--unhandled-rejections=strict", file],
      { timeout: 50_000 },
    );
    expect(stderr).not.toMatch(/UnhandledPromiseRejection/);
  });
});
