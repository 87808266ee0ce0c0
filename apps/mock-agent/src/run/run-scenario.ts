import { Baseline, type BaselineProgress, type BaselineReport } from "@agentlightning/algorithm";
import { LightningError, type LightningStore, llmResource, type Logger, silentLogger } from "@agentlightning/core";
import { createSeededRandom } from "@agentlightning/core/testing";
import { openMemoryStore } from "@agentlightning/store-memory";
import { Trainer } from "@agentlightning/trainer";
import { harnessAgents } from "../agents/index.ts";
import type { HarnessAgent } from "../agents/harness-agent.ts";
import { startModelServer } from "../model-server/server.ts";
import { generateRooms } from "../rooms/generate.ts";
import type { Room } from "../rooms/room.ts";
import { scenarios } from "../scenarios/index.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { verify } from "./verify.ts";

/** Share of wrong answers where an agent's model gives some. */
export const wrongShare = 0.25;

/** Options of {@link runScenario}. */
export interface RunScenarioOptions {
  /** Name of an agent of the harness. @defaultValue the scenario's first */
  readonly agent?: string | undefined;
  /** @defaultValue tasks of our own making */
  readonly tasks?: readonly unknown[] | undefined;
  /** The room table of the room agent. @defaultValue one of our own making */
  readonly rooms?: readonly Room[] | undefined;
  /** Decides tasks and replies. @defaultValue 1 */
  readonly seed?: number | undefined;
  /** Agents that run at once. @defaultValue 4 */
  readonly runners?: number | undefined;
  /** Stays open. It must be empty, since all that it holds is verified. @defaultValue an embedded memory store */
  readonly store?: LightningStore | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: BaselineProgress) => void) | undefined;
  /** @defaultValue silent */
  readonly logger?: Logger | undefined;
}

/** What a run of one scenario came to. */
export interface ScenarioRun {
  readonly scenario: string;
  readonly agent: string;
  readonly passed: boolean;
  /** What did not hold; empty when it passed. */
  readonly problems: readonly string[];
  readonly durationMs: number;
  readonly report: BaselineReport;
}

function find<T extends { readonly name: string }>(list: readonly T[], name: string, what: string): T {
  const found = list.find((item) => item.name === name);
  if (found !== undefined) return found;
  const names = list.map((item) => item.name).join(", ");
  throw new LightningError({ code: "invalid_options", message: `there is no ${what} "${name}"; there are: ${names}` });
}

/** The agent of this name. @throws invalid_options naming those that exist */
export function findAgent(name: string): HarnessAgent {
  return find(harnessAgents, name, "agent");
}

/** The scenario of this name. @throws invalid_options naming those that exist */
export function findScenario(name: string): Scenario {
  return find(scenarios, name, "scenario");
}

/**
 * Runs one scenario against the mock model and verifies what the store holds afterwards.
 *
 * @throws invalid_options for a name that does not exist
 */
export async function runScenario(name: string, options: RunScenarioOptions = {}): Promise<ScenarioRun> {
  const scenario = findScenario(name);
  const harnessAgent = findAgent(options.agent ?? (scenario.agents[0] as string));
  const seed = options.seed ?? 1;
  const random = createSeededRandom(seed);
  const rooms = options.rooms ?? generateRooms(random);
  const tasks = options.tasks ?? harnessAgent.generateTasks(scenario.taskCount, random, { rooms });
  const plan = scenario.plan({ agent: harnessAgent, tasks, makeAgent: () => harnessAgent.create({ rooms }) });
  const knowledge = { tasks: plan.tasks, wrongShare, seed };
  const expectedReward =
    plan.expectedReward ?? (scenario.name === "happy-path" ? harnessAgent.expectedReward(knowledge) : undefined);
  const logger = options.logger ?? silentLogger;
  const startMs = performance.now();
  await using model = await startModelServer({
    rules: [...(plan.modelRules ?? []), ...harnessAgent.modelRules(knowledge)],
  });
  const own = options.store === undefined;
  const store = options.store ?? openMemoryStore();
  const over = new AbortController();
  const beside = plan.beside?.(store, over.signal);
  try {
    const report = await new Trainer({
      store,
      logger,
      runners: options.runners ?? 4,
      graceMs: 5_000,
      algorithm: new Baseline({
        spanVerbosity: "none",
        maxQueueLength: 8,
        ...plan.baseline,
        logger,
        ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
      }),
      initialResources: { main: llmResource({ endpoint: model.endpoint, model: "mock" }) },
    }).fit(plan.agent, {
      trainDataset: plan.tasks,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    over.abort();
    await beside;
    const problems = await verify({
      store,
      report,
      harnessAgent,
      plan: { ...plan, ...(expectedReward === undefined ? {} : { expectedReward }) },
    });
    return {
      scenario: name,
      agent: harnessAgent.name,
      passed: problems.length === 0,
      problems,
      durationMs: performance.now() - startMs,
      report,
    };
  } finally {
    over.abort();
    if (own) await store.close();
  }
}
