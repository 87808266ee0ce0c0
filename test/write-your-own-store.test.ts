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
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@agentlightning/source", command, "./fixture.ts", "--histories", "20", "--json", certificate],
    { cwd: folder },
  );
  const { isCertified, offers, results } = JSON.parse(readFileSync(certificate, "utf8")) as {
    readonly isCertified: boolean;
    readonly offers: readonly string[];
    readonly results: readonly { readonly outcome: string; readonly aspect: string }[];
  };
  expect(stdout).toMatch(/offers: driver, injected clock, durable\nseed: \d+\nJSON file store is certified\n$/);
  expect([isCertified, offers]).toEqual([true, ["driver", "injected clock", "durable"]]);
  expect(results.filter(({ outcome }) => outcome === "failed" || outcome === "deviates")).toEqual([]);
  const durable = results.filter(({ aspect, outcome }) => aspect === "durability" && outcome === "passed");
  expect(durable.length).toBeGreaterThan(0);
});

const refusedByDisk = `
  import { mkdirSync, rmdirSync } from "node:fs";
  import { createStore } from "@agentlightning/store-kit";
  import { createJsonDriver } from "./json-driver.ts";

  const store = createStore(createJsonDriver("refused.json"));
  const kept = await store.enqueueRollout({ input: "kept" });
  mkdirSync("refused.json.new");
  const [lost, claim] = await Promise.allSettled([store.enqueueRollout({ input: "lost" }), store.dequeueRollout()]);
  rmdirSync("refused.json.new");
  const { items } = await store.queryRollouts();
  await store.close();
  const again = createStore(createJsonDriver("refused.json"));
  const claimed = await again.dequeueRollout();
  await again.close();
  console.log(JSON.stringify({
    outcomes: [lost.status, claim.status],
    held: items.map(({ input, status }) => [input, status]),
    isClaimedLater: claimed?.rolloutId === kept.rolloutId,
  }));
`;

test("the page's store shows nothing that the disk refused", async () => {
  const { folder } = writePageFiles("docs/write-your-own-store.md", "write-your-own-store-refused");
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@agentlightning/source", "--input-type=module", "--eval", refusedByDisk],
    { cwd: folder },
  );
  expect(JSON.parse(stdout)).toEqual({
    outcomes: ["rejected", "rejected"],
    held: [["kept", "queuing"]],
    isClaimedLater: true,
  });
});
