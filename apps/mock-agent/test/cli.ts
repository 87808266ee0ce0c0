import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const entry = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** How a run of the command line ended. */
export interface CliEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the harness as a user would; `onError` sees standard error as it comes. */
export function runCli(
  parameters: readonly string[],
  onError: (text: string, kill: (signal: NodeJS.Signals) => void) => void = () => undefined,
): Promise<CliEnd> {
  const child = spawn(process.execPath, ["--conditions=@agentlightning/source", entry, ...parameters], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    onError(text, (signal) => child.kill(signal));
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}
