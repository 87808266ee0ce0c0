import { main } from "./cli/arguments.ts";

/** Until a verdict is reached the run is not green, whoever ends the process: an agent may call process.exit(0). */
let verdict: number | undefined;
process.on("exit", (code) => {
  if (verdict !== undefined || code !== 0) return;
  process.stderr.write("the process was ended before the run reached a verdict\n");
  process.exitCode = 2;
});

try {
  verdict = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(
    `the run could not go on: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  verdict = 2;
}
process.exitCode = verdict;
