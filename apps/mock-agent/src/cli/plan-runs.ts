import { LightningError } from "@agentlightning/core";
import { harnessAgents } from "../agents/index.ts";
import { chooseDataset } from "../run/choose-dataset.ts";
import { findAgent, findScenario, type RunScenarioOptions } from "../run/run-scenario.ts";
import { scenarios } from "../scenarios/index.ts";

/** What was asked for on the command line. */
export interface RunRequest {
  readonly scenario: readonly string[];
  readonly agent: readonly string[];
  readonly dataset?: string | undefined;
  readonly rooms?: string | undefined;
  readonly seed: number;
  readonly runners: number;
  readonly store: string;
}

/** One scenario run to be made. */
export interface PlannedRun {
  readonly label: string;
  readonly scenario: string;
  readonly options: RunScenarioOptions;
}

function checkStore(store: string): void {
  if (store === "memory:" || store === "memory") return;
  throw new LightningError({
    code: "invalid_options",
    message: `--store ${store} is not known here; this version runs on: memory:`,
  });
}

/** The runs that a request stands for. @throws invalid_options, dataset_invalid; also when nothing would be run */
export async function planRuns(request: RunRequest): Promise<readonly PlannedRun[]> {
  checkStore(request.store);
  const agents = request.agent.map(findAgent);
  const { seed, runners } = request;
  const names = request.scenario.map((name) => findScenario(name).name);
  if (request.dataset !== undefined) {
    const [only, second] = agents;
    if (second !== undefined)
      throw new LightningError({ code: "invalid_options", message: "--dataset takes one --agent" });
    const { tasks, agent, rooms } = await chooseDataset(request.dataset, { agent: only, rooms: request.rooms });
    return (names.length === 0 ? ["happy-path"] : names).map((scenario) => ({
      label: `${scenario} (${agent.name})`,
      scenario,
      options: { agent: agent.name, tasks, seed, runners, ...(rooms === undefined ? {} : { rooms }) },
    }));
  }
  const wanted = agents.length === 0 ? harnessAgents : agents;
  const planned = scenarios
    .filter(({ name }) => names.length === 0 || names.includes(name))
    .flatMap((scenario) =>
      wanted
        .filter(({ name }) => scenario.agents.includes(name))
        .map((agent) => ({
          label: `${scenario.name} (${agent.name})`,
          scenario: scenario.name,
          options: { agent: agent.name, seed, runners },
        })),
    );
  if (planned.length > 0) return planned;
  throw new LightningError({
    code: "invalid_options",
    message: `nothing to run: ${names.join(", ") || "no scenario"} does not go with agent ${wanted.map(({ name }) => name).join(", ")}`,
  });
}
