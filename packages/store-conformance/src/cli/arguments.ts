import { LightningError } from "@agentlightning/core";
import { Command, CommanderError, InvalidArgumentError } from "commander";
import { type Aspect, aspects } from "../case.ts";
import { certifyCommand, type CertifyFlags } from "./certify-command.ts";

/** Exit codes: certified, not certified, and could not be judged. */
const exitCodes: Readonly<Record<"certified" | "failed" | "unable", number>> = {
  certified: 0,
  failed: 1,
  unable: 2,
};

function wholeFrom(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0 && text.trim() !== "") return value;
  throw new InvalidArgumentError("It must be a whole number from 0.");
}

function collectAspect(text: string, previous: readonly Aspect[] = []): readonly Aspect[] {
  const aspect = aspects.find((known) => known === text.replaceAll("-", " "));
  if (aspect !== undefined) return [...previous, aspect];
  throw new InvalidArgumentError(`It must be one of ${aspects.map(withHyphens).join(", ")}.`);
}

/** As an aspect is typed without quotes. */
function withHyphens(aspect: Aspect): string {
  return aspect.replaceAll(" ", "-");
}

/** Reads the command line and does what it says; gives the exit code. */
export async function main(parameters: readonly string[]): Promise<number> {
  let exitCode = exitCodes.unable;
  const program = new Command("certify-store")
    .description("Judges a LightningStore by the conformance suite, and prints a certificate.")
    .argument("<fixture>", "module whose default export is a StoreFixture, or a function that gives one")
    .option("--json <file>", "write the certificate as JSON, too; - for standard output, which then holds nothing else")
    .option("--seed <number>", "decides ids and random histories (default: drawn, and printed)", wholeFrom)
    .option("--histories <number>", "random histories that are compared with a model (default: 1000)", wholeFrom)
    .option("--aspect <name>", "only this aspect; may be repeated (default: all)", collectAspect)
    .option("--deviations <file>", "JSON object: names of cases that must fail, each with the reason")
    .addHelpText(
      "after",
      `
The fixture may be a .ts file: Node strips its types. It may announce deviations itself:
  export const deviations = { "name of a case": "why the store fails it" };

Aspects: ${aspects.map(withHyphens).join(", ")}

Exit code: 0 certified, 1 not certified, 2 wrong usage or a fixture that can't be used.`,
    )
    .exitOverride()
    .action(async (fixture: string, flags: CertifyFlags) => {
      exitCode = (await certifyCommand(fixture, flags)) ? exitCodes.certified : exitCodes.failed;
    });
  try {
    await program.parseAsync([...parameters], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.certified : exitCodes.unable;
    const isOurs = LightningError.isInstance(error);
    const text = error instanceof Error ? (isOurs ? error.message : (error.stack ?? error.message)) : String(error);
    process.stderr.write(`${text}\n`);
    return exitCodes.unable;
  }
  return exitCode;
}
