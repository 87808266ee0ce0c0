import { Baseline } from "@agentlightning/algorithm";
import { silentLogger } from "@agentlightning/core";
import { defineAgent } from "@agentlightning/runner";
import { openMemoryStore } from "@agentlightning/store-memory";
import { Trainer } from "@agentlightning/trainer";
import { type Bench, heapBytes } from "./measure.ts";

/** Heap while an async iterable of any length streams through the loop with retention on. */
export const flatMemory: Bench = {
  name: "flat-memory",
  async run({ short }) {
    const samples = short ? 5_000 : 1_000_000;
    const checkpoints: number[] = [];
    async function* dataset(): AsyncGenerator<number> {
      for (let index = 0; index < samples; index += 1) {
        if (index % (samples / 10) === samples / 20) checkpoints.push(heapBytes());
        yield index;
      }
    }
    await using store = openMemoryStore({ retention: { finishedRollouts: 1_000 } });
    const algorithm = new Baseline<number>({ spanVerbosity: "none", logger: silentLogger, maxQueueLength: 16 });
    const agent = defineAgent<number>(() => 1);
    const report = await new Trainer({ store, algorithm, runners: 4, logger: silentLogger }).fit(agent, {
      trainDataset: dataset(),
    });
    if (report.totals.succeeded !== samples) throw new Error(`${report.totals.succeeded} of ${samples} succeeded`);
    const mebibytes = checkpoints.map((bytes) => bytes / 2 ** 20);
    // The first tenth fills retention and warms up; the second is the plateau that the last is held against.
    const plateau = mebibytes[1] ?? Number.NaN;
    const last = mebibytes.at(-1) ?? Number.NaN;
    return [
      {
        what: `heap over ${samples} samples, retention 1,000`,
        ours: `${last.toFixed(1)} MiB at the end`,
        reference: `${plateau.toFixed(1)} MiB at 15 %`,
        ratio: (last / plateau).toFixed(3),
        target: "flat",
      },
    ];
  },
};
