import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const packageDirectory = fileURLToPath(new URL("..", import.meta.url));

/** A program that uses the signal, and what it printed so far. */
async function startProgram(body: string): Promise<{ readonly child: ChildProcess; readonly output: () => string }> {
  const source = `
    import { shutdownSignal } from "@agentlightning/runner";
    const signal = shutdownSignal();
    const busy = setInterval(() => undefined, 1_000);
    ${body}
    console.log("ready");
  `;
  const flags = ["--conditions=@agentlightning/source", "--input-type=module-typescript", "--eval", source];
  const child = spawn(process.execPath, flags, { cwd: packageDirectory, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  const ready = Promise.withResolvers<void>();
  child.stdout.on("data", (chunk) => {
    output += String(chunk);
    if (output.includes("ready")) ready.resolve();
  });
  await ready.promise;
  return { child, output: () => output };
}

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s aborts the signal, and the program ends on its own with %i", async (name, exitCode) => {
  const { child, output } = await startProgram(`
    signal.addEventListener("abort", () => {
      console.log(signal.reason.code, signal.reason.details.signal);
      clearInterval(busy);
    });
  `);
  child.kill(name);
  expect(await once(child, "close")).toEqual([exitCode, null]);
  expect(output()).toContain(`aborted ${name}`);
});

test("a second signal ends a program that does not stop by itself", async () => {
  const { child, output } = await startProgram(`signal.addEventListener("abort", () => console.log("first"));`);
  child.kill("SIGINT");
  await expect.poll(output).toContain("first");
  child.kill("SIGINT");
  expect(await once(child, "close")).toEqual([130, null]);
});

test("every call gives the same signal, with one listener for each kind", async () => {
  const { child, output } = await startProgram(`
    for (let call = 0; call < 100; call += 1) if (shutdownSignal() !== signal) console.log("another");
    console.log("listeners", process.listenerCount("SIGINT"), process.listenerCount("SIGTERM"));
  `);
  child.kill("SIGKILL");
  await once(child, "close");
  expect(output()).toBe("listeners 1 1\nready\n");
});
