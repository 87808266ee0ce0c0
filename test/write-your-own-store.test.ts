// The store that docs/write-your-own-store.md builds is built from the page, and certified as the page says.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { writePageFiles } from "../scripts/snippets.ts";
import { root } from "../scripts/workspace.ts";

test("the page's store is certified, and held to being durable", { timeout: 300_000 }, async () => {
  const { folder } = writePageFiles("docs/write-your-own-store.md", "write-your-own-store");
  const command = join(root, "packages/store-conformance/src/main.ts");
  const certificate = join(folder, "certificate.json");
  await promisify(execFile)(
    process.execPath,
    ["--conditions=@agentlightning/source", command, "./fixture.ts", "--histories", "20", "--json", certificate],
    { cwd: folder },
  );
  const { isCertified, offers, results } = JSON.parse(readFileSync(certificate, "utf8")) as {
    readonly isCertified: boolean;
    readonly offers: readonly string[];
    readonly results: readonly { readonly outcome: string; readonly aspect: string }[];
  };
  expect([isCertified, offers]).toEqual([true, ["driver", "injected clock", "durable"]]);
  const durable = results.filter(({ aspect, outcome }) => aspect === "durability" && outcome === "passed");
  expect(durable.length).toBeGreaterThan(0);
});
