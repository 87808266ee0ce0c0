import { Command, CommanderError, InvalidArgumentError } from "commander";
import { harnessAgents } from "../agents/index.ts";
import { scenarios } from "../scenarios/index.ts";
import { runCommand } from "./run-command.ts";

function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isSafeInteger(value) && value >= least && text.trim() !== "") return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least}.`);
  };
}

function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}

function listing(): string {
  const lines = (title: string, items: readonly { readonly name: string; readonly about: string }[]) => [
    title,
    ...items.map(({ name, about }) => `  ${name.padEnd(14)} ${about}`),
  ];
  return [...lines("Scenarios", scenarios), "", ...lines("Agents", harnessAgents)].join("\n");
}

interface RunFlags {
  readonly scenario: readonly string[];
  readonly agent: readonly string[];
  readonly dataset?: string;
  readonly rooms?: string;
  readonly seed: number;
  readonly runners: number;
  readonly store: string;
  readonly report?: string;
  readonly list?: boolean;
}

/** Reads the command line and does what it says; gives the exit code. */
export async function main(parameters: readonly string[]): Promise<number> {
  let exitCode = 0;
  const program = new Command("mock-agent")
    .description("Runs whole agent loops against a mock model and verifies what came of them.")
    .exitOverride();
  const run = program
    .command("run", { isDefault: true })
    .description("run scenarios (all of them unless told otherwise)")
    .option("--scenario <name>", "only this scenario; may be repeated", collect, [])
    .option("--agent <name>", "only this agent; may be repeated", collect, [])
    .option("--dataset <file>", "tasks from a JSONL file instead of generated ones")
    .option("--rooms <file>", "room table for the room agent (default: rooms.json beside the dataset)")
    .option("--seed <number>", "decides tasks and replies", wholeNumber(0), 1)
    .option("--runners <number>", "agents that run at once", wholeNumber(1), 4)
    .option("--store <url>", "where rollouts are kept", "memory:")
    .option("--report <folder>", "write report.json there")
    .option("--list", "list scenarios and agents")
    .exitOverride()
    .action(async (flags: RunFlags) => {
      if (flags.list === true) process.stdout.write(`${listing()}\n`);
      else exitCode = await runCommand(flags);
    });
  // `run` is what happens without a word: its options belong into the first help that anybody reads.
  program.addHelpText("after", () => `\n${run.helpInformation()}`);
  try {
    await program.parseAsync([...parameters], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
  return exitCode;
}
