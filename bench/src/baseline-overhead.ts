import { Baseline } from "@agentlightning/algorithm";
import { silentLogger } from "@agentlightning/core";
import { defineAgent } from "@agentlightning/runner";
import { Trainer } from "@agentlightning/trainer";
import { type Bench, sideBySide, timeMs } from "./measure.ts";

const lanes = 4;
const agentMs = 5;

async function work(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, agentMs));
  return 1;
}

async function bareLoop(tasks: number): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < tasks) {
      next += 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function wholeLoop(tasks: number): Promise<void> {
  const agent = defineAgent<number>(work);
  const algorithm = new Baseline<number>({ spanVerbosity: "none", logger: silentLogger, maxQueueLength: 8 });
  const trainer = new Trainer({ algorithm, runners: lanes, logger: silentLogger });
  const report = await trainer.fit(agent, { trainDataset: Array.from({ length: tasks }, (_, index) => index) });
  if (report.totals.succeeded !== tasks) throw new Error(`${report.totals.succeeded} of ${tasks} succeeded`);
}

/** What the whole loop costs over a bare loop of as many lanes around the same agent function. */
export const baselineOverhead: Bench = {
  name: "baseline-overhead",
  async run({ short }) {
    const tasks = short ? 100 : 1_000;
    const result = await sideBySide(
      short ? 1 : 9,
      () => timeMs(() => wholeLoop(tasks)),
      () => timeMs(() => bareLoop(tasks)),
    );
    return [
      {
        what: `${tasks} rollouts of ${agentMs} ms on ${lanes} runners`,
        ours: `${result.ours.toFixed(0)} ms`,
        reference: `${result.reference.toFixed(0)} ms (bare loop)`,
        ratio: result.ratio.toFixed(3),
        target: "≤ 1.05",
      },
    ];
  },
};
