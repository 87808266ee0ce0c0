// Journey 2: an algorithm of one's own. It tries two prompts on every task and keeps the better one.
import { type AlgorithmContext, FastAlgorithm } from "@agentlightning/algorithm";
import { findFinalReward, promptTemplate, toArray } from "@agentlightning/core";
import { defineAgent } from "@agentlightning/runner";
import { Trainer } from "@agentlightning/trainer";

interface Task {
  readonly name: string;
}

const candidates = ["Hi {name}", "Good morning, {name}!"];

class BestOfTwo extends FastAlgorithm<Task, { winner: string }> {
  async run({ store, trainDataset, signal }: AlgorithmContext<Task>): Promise<{ winner: string }> {
    const tasks = await toArray(trainDataset ?? []);
    let best = { winner: "", mean: Number.NEGATIVE_INFINITY };
    for (const candidate of candidates) {
      const { resourcesId } = await store.addResources({ prompt: promptTemplate(candidate) });
      const rollouts = await store.enqueueManyRollouts(
        tasks.map((task) => ({ input: { name: task.name }, mode: "train", resourcesId })),
      );
      const ids = rollouts.map((rollout) => rollout.rolloutId);
      const finished = await store.waitForRollouts(ids, { timeoutMs: 60_000, signal });
      const rewards = await Promise.all(
        finished.map(async ({ rolloutId }) =>
          findFinalReward(await store.querySpans(rolloutId, { attemptId: "latest" })),
        ),
      );
      const mean = rewards.reduce((sum: number, reward) => sum + (reward ?? 0), 0) / rewards.length;
      console.log(`${candidate}: mean reward ${mean.toFixed(2)} over ${rewards.length} rollouts`);
      if (mean > best.mean) best = { winner: candidate, mean };
    }
    return { winner: best.winner };
  }
}

const politeness = defineAgent<Task>((task, { promptTemplate: prompt }) => {
  const greeting = prompt.format({ name: task.name });
  return greeting.startsWith("Good morning") ? 1 : 0.25;
});

const { winner } = await new Trainer({ algorithm: new BestOfTwo(), runners: 2 }).fit(politeness, {
  trainDataset: [{ name: "Ada" }, { name: "Grace" }, { name: "Barbara" }],
});
console.log(`winner: ${winner}`);
if (winner !== "Good morning, {name}!") throw new Error(`expected the polite prompt to win, got ${winner}`);
