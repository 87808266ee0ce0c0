// Journey 1: an agent, a dataset, a report. Everything runs in this process.
import { Baseline } from "@agentlightning/algorithm";
import { llmResource } from "@agentlightning/core";
import { jsonlFile } from "@agentlightning/core/node";
import { defineAgent } from "@agentlightning/runner";
import { Trainer } from "@agentlightning/trainer";
import { ask } from "./ask.ts";
import { startLocalModel } from "./local-model.ts";

const model = await startLocalModel(); // stands for any OpenAI-compatible endpoint

const agent = defineAgent<{ question: string; answer: string }>(async (task, { llm, signal }) => {
  const text = await ask(llm, task.question, signal); // any client: AI SDK, openai, fetch
  return text.includes(task.answer) ? 1 : 0; // the final reward
});

try {
  const report = await new Trainer({
    algorithm: new Baseline({ spanVerbosity: "none" }),
    runners: 4,
    initialResources: { main: llmResource({ endpoint: model.endpoint, model: "local" }) },
  }).fit(agent, { trainDataset: jsonlFile(new URL("tasks.jsonl", import.meta.url)) });

  console.log(report.summary()); // counts, rewards, durations, retries, errors per split
  if (report.totals.succeeded !== 6) throw new Error(`expected 6 succeeded rollouts, got ${report.totals.succeeded}`);
} finally {
  await model.close();
}
