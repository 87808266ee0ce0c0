import { main } from "./cli/arguments.ts";

/** Until there is a verdict the run is not green, whoever ends the process: a fixture may call process.exit(0). */
let verdict: number | undefined;
process.on("exit", (code) => {
  if (verdict !== undefined || code !== 0) return;
  process.stderr.write("the process was ended before the suite was over\n");
  process.exitCode = 2;
});

verdict = await main(process.argv.slice(2));
process.exitCode = verdict;
