import type { BaselineReport } from "@agentlightning/algorithm";
import { isRewardSpan, type LightningStore, type Span } from "@agentlightning/core";
import type { HarnessAgent } from "../agents/harness-agent.ts";
import type { Expectation, ScenarioPlan } from "../scenarios/scenario.ts";
import { readEvidence, type RolloutEvidence } from "./evidence.ts";

/** What a run is held against. */
export interface Verification {
  readonly store: LightningStore;
  readonly plan: ScenarioPlan;
  readonly harnessAgent: HarnessAgent | undefined;
  readonly report: BaselineReport;
}

/** Holds the store's evidence against what was planned; gives what does not hold, empty when all does. */
export async function verify({ store, plan, harnessAgent, report }: Verification): Promise<readonly string[]> {
  const all = await readEvidence(store);
  const problems: string[] = [];
  if (report.outcome !== "completed") problems.push(`the run ended ${report.outcome}: ${report.message ?? ""}`);
  problems.push(...checkTasks(all, plan));
  const expectations = new Map(plan.tasks.map((task, index) => [JSON.stringify(task), plan.expect(task, index)]));
  for (const evidence of all) {
    const expectation = expectations.get(JSON.stringify(evidence.rollout.input));
    const found = [
      ...(expectation === undefined ? [] : checkOutcome(evidence, expectation)),
      ...checkAttempts(evidence),
      ...checkSpans(evidence),
      ...(expectation?.status === "succeeded" && plan.callsModel !== false && harnessAgent !== undefined
        ? checkModelCalls(evidence, harnessAgent)
        : []),
      ...(plan.check?.(evidence) ?? []),
    ];
    problems.push(...found.map((problem) => `rollout ${evidence.rollout.rolloutId}: ${problem}`));
  }
  problems.push(...checkReport(all, report, plan), ...(await checkRest(store)));
  return problems;
}

/** Each task exactly once. */
function checkTasks(all: readonly RolloutEvidence[], plan: ScenarioPlan): readonly string[] {
  const count = (values: readonly unknown[]): ReadonlyMap<string, number> => {
    const counts = new Map<string, number>();
    for (const value of values) counts.set(JSON.stringify(value), (counts.get(JSON.stringify(value)) ?? 0) + 1);
    return counts;
  };
  const planned = count(plan.tasks);
  const found = count(all.map(({ rollout }) => rollout.input));
  const keys = new Set([...planned.keys(), ...found.keys()]);
  return [...keys].flatMap((key) =>
    planned.get(key) === found.get(key)
      ? []
      : [`a task was run ${found.get(key) ?? 0} times instead of ${planned.get(key) ?? 0}: ${key.slice(0, 120)}`],
  );
}

function checkOutcome({ rollout, attempts, reward }: RolloutEvidence, expectation: Expectation): readonly string[] {
  const problems: string[] = [];
  const { status } = rollout;
  if (status !== expectation.status)
    problems.push(
      `is ${status} instead of ${expectation.status}${rollout.attempt?.error === undefined ? "" : ` (${rollout.attempt.error})`}`,
    );
  const wanted = expectation.attempts ?? 1;
  if (attempts.length !== wanted) problems.push(`has ${attempts.length} attempts instead of ${wanted}`);
  const rewarded = expectation.rewarded ?? expectation.status === "succeeded";
  if (rewarded !== (reward !== undefined))
    problems.push(rewarded ? "has no reward" : `has a reward (${reward ?? ""}) though none was given`);
  return problems;
}

/** Attempts are numbered 1, 2, 3, … and explain the rollout's status. */
function checkAttempts({ rollout, attempts }: RolloutEvidence): readonly string[] {
  const problems: string[] = [];
  if (attempts.some((attempt, index) => attempt.sequenceId !== index + 1))
    problems.push("its attempts are not numbered 1, 2, 3, …");
  const latest = attempts.at(-1);
  if (rollout.status === "succeeded" && latest?.status !== "succeeded")
    problems.push(`succeeded though its latest attempt is ${latest?.status ?? "missing"}`);
  if (rollout.status === "failed" && (latest === undefined || latest.status === "succeeded"))
    problems.push(`failed though its latest attempt is ${latest?.status ?? "missing"}`);
  for (const attempt of attempts) {
    if (attempt.endTimeMs === undefined)
      problems.push(`attempt ${attempt.sequenceId} has not ended (${attempt.status})`);
    if ((attempt.droppedSpans ?? 0) > 0)
      problems.push(`attempt ${attempt.sequenceId} lost ${attempt.droppedSpans ?? 0} spans`);
  }
  return problems;
}

/** Span numbers are given once; parents stand in the store, and before their children. */
function checkSpans({ spans }: RolloutEvidence): readonly string[] {
  const problems: string[] = [];
  const numbers = new Map(spans.map((span) => [span.spanId, span.sequenceId]));
  if (new Set(spans.map(({ sequenceId }) => sequenceId)).size !== spans.length)
    problems.push("a span number was given twice");
  for (const span of spans) {
    if (span.parentId === undefined) continue;
    const parent = numbers.get(span.parentId);
    if (parent === undefined) problems.push(`span ${span.name} has a parent that is not stored`);
    else if (parent >= span.sequenceId)
      problems.push(`span ${span.name} (#${span.sequenceId}) is numbered before its parent (#${parent})`);
  }
  return problems;
}

function checkModelCalls({ latestSpans }: RolloutEvidence, agent: HarnessAgent): readonly string[] {
  const calls = latestSpans.filter((span) => agent.modelSpan(span.name));
  if (calls.length === 0)
    return [`has no model-call span among: ${latestSpans.map(({ name }) => name).join(", ") || "no spans at all"}`];
  return calls.flatMap((span) =>
    "gen_ai.input.messages" in span.attributes && "gen_ai.output.messages" in span.attributes
      ? []
      : [`model-call span ${span.name} lacks its messages`],
  );
}

/** The report says what the store holds. */
function checkReport(all: readonly RolloutEvidence[], report: BaselineReport, plan: ScenarioPlan): readonly string[] {
  const { totals } = report;
  const held = (status: string): number => all.filter(({ rollout }) => rollout.status === status).length;
  const rewards = all.flatMap(({ reward }) => (reward === undefined ? [] : [reward]));
  const figures: readonly (readonly [string, number, number])[] = [
    ["rollouts", totals.rollouts, all.length],
    ["succeeded", totals.succeeded, held("succeeded")],
    ["failed", totals.failed, held("failed")],
    ["cancelled", totals.cancelled, held("cancelled")],
    ["attempts", totals.attempts, all.reduce((sum, { attempts }) => sum + attempts.length, 0)],
    ["rewards", totals.rewards.count, rewards.length],
  ];
  const problems = figures.flatMap(([what, said, found]) =>
    said === found ? [] : [`the report says ${said} ${what}, the store holds ${found}`],
  );
  const spans = all.reduce((sum, evidence) => sum + evidence.spans.length, 0);
  // What the store itself ended (a deadline, a cancel) is finished before its runner has delivered the last spans.
  const mayLag = all.some(({ attempts }) => attempts.some(({ endReason }) => endReason !== undefined));
  if (mayLag ? totals.spans > spans : totals.spans !== spans)
    problems.push(`the report says ${totals.spans} spans, the store holds ${spans}`);
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
  if (rewards.length > 0 && Math.abs((totals.rewards.mean ?? Number.NaN) - mean) > 1e-9)
    problems.push(`the report's mean reward is ${totals.rewards.mean ?? "missing"}, the store's ${mean}`);
  const { expectedReward } = plan;
  if (expectedReward !== undefined && !(Math.abs(mean - expectedReward) < 1e-9))
    problems.push(`the mean reward is ${mean} instead of ${expectedReward}`);
  return problems;
}

/** Nothing waits, nobody is busy. */
async function checkRest(store: LightningStore): Promise<readonly string[]> {
  const { queuedRollouts } = await store.statistics();
  const busy = await store.queryWorkers({ statusIn: ["busy"] });
  const open = await store.queryRollouts({ statusIn: ["queuing", "requeuing", "preparing", "running"] });
  return [
    ...(queuedRollouts === 0 ? [] : [`${queuedRollouts} rollouts still wait in the queue`]),
    ...(busy.total === 0 ? [] : [`workers are still busy: ${busy.items.map(({ workerId }) => workerId).join(", ")}`]),
    ...(open.total === 0 ? [] : [`${open.total} rollouts have not ended`]),
  ];
}

/** The reward spans of an attempt, in order; exported for scenarios. */
export function rewardSpansOf({ latestSpans }: RolloutEvidence): readonly Span[] {
  return latestSpans.filter(isRewardSpan);
}
