import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LightningError, toArray } from "@agentlightning/core";
import { jsonlFile } from "@agentlightning/core/node";
import { z } from "zod";
import type { HarnessAgent } from "../agents/harness-agent.ts";
import { harnessAgents } from "../agents/index.ts";
import type { Room } from "../rooms/room.ts";

const booking = z.object({ date: z.string(), time: z.string(), duration_min: z.number() });
const roomTable = z.array(
  z.object({
    id: z.string(),
    capacity: z.number(),
    equipment: z.array(z.string()),
    accessible: z.boolean(),
    distance_m: z.number(),
    booked: z.array(booking),
  }),
);

/** Tasks from a file, and the agent that they are for. */
export interface ChosenDataset {
  readonly tasks: readonly unknown[];
  readonly agent: HarnessAgent;
  readonly rooms?: readonly Room[];
}

function listOf(agents: readonly HarnessAgent[]): string {
  return agents.map(({ name }) => name).join(", ");
}

/** @throws invalid_options when no agent, or more than one, takes the first line */
function chooseAgent(file: string, first: unknown, candidates: readonly HarnessAgent[]): HarnessAgent {
  const fitting = candidates.filter((agent) => agent.schema.safeParse(first).success);
  const [agent] = fitting;
  if (agent === undefined) {
    throw new LightningError({
      code: "invalid_options",
      message: `no agent takes the tasks of ${file}; tried: ${listOf(candidates)}`,
    });
  }
  if (fitting.length > 1) {
    throw new LightningError({
      code: "invalid_options",
      message: `several agents take the tasks of ${file}: ${listOf(fitting)}; choose one with --agent`,
    });
  }
  return agent;
}

async function readRooms(dataset: string, given: string | undefined): Promise<readonly Room[] | undefined> {
  const beside = join(dirname(dataset), "rooms.json");
  const file = given ?? (existsSync(beside) ? beside : undefined);
  if (file === undefined) return undefined;
  const parsed = roomTable.safeParse(JSON.parse(await readFile(file, "utf8")));
  if (parsed.success) return parsed.data;
  throw new LightningError({
    code: "dataset_invalid",
    message: `${file} is no room table: ${z.prettifyError(parsed.error)}`,
  });
}

/**
 * Reads a dataset file and finds the agent whose schema accepts its first line.
 *
 * @throws dataset_invalid for a file that cannot be read, a broken line, or no line at all; invalid_options
 */
export async function chooseDataset(
  file: string,
  options: { readonly agent?: HarnessAgent | undefined; readonly rooms?: string | undefined } = {},
): Promise<ChosenDataset> {
  const tasks = await toArray(jsonlFile<unknown>(file));
  if (tasks.length === 0)
    throw new LightningError({ code: "dataset_invalid", message: `${file} has no line, so there is nothing to run` });
  const agent = chooseAgent(file, tasks[0], options.agent === undefined ? harnessAgents : [options.agent]);
  const rooms = await readRooms(file, options.rooms);
  return { tasks, agent, ...(rooms === undefined ? {} : { rooms }) };
}
