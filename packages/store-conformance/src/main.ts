import { main } from "./cli/arguments.ts";

/** Until there is a verdict the run is not green, whoever ends the process: a fixture may call process.exit(0). */
let verdict: number | undefined;
process.on("exit", (code) => {
  if (verdict !== undefined || code !== 0) return;
  process.stderr.write("the process was ended before the suite was over\n");
  process.exitCode = 2;
});

verdict = await main(process.argv.slice(2));
const exitCode = verdict;
// What a store that is stuck left open must not keep the command from ending; what was printed goes out first.
process.stdout.write("", () => process.stderr.write("", () => process.exit(exitCode)));
