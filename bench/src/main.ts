import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { baselineOverhead } from "./baseline-overhead.ts";
import { flatMemory } from "./flat-memory.ts";
import type { Bench } from "./measure.ts";
import { memoryStore } from "./memory-store.ts";
import { wakeUp } from "./wake-up.ts";

const benches: readonly Bench[] = [baselineOverhead, wakeUp, flatMemory, memoryStore];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { short: { type: "boolean", default: false }, json: { type: "string" } },
});
const unknown = positionals.filter((name) => !benches.some((bench) => bench.name === name));
if (unknown.length > 0) {
  console.error(`no bench named ${unknown.join(", ")}; there are: ${benches.map((bench) => bench.name).join(", ")}`);
  process.exit(2);
}

const results: Record<string, unknown> = {};
for (const bench of benches.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  const rows = await bench.run({ short: values.short });
  results[bench.name] = rows;
  console.log(`\n${bench.name}`);
  console.table(rows);
}
if (values.json !== undefined) {
  await writeFile(values.json, `${JSON.stringify(results, null, 2)}\n`);
}
