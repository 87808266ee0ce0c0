import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { openMemoryStore } from "@agentlightning/store-memory";
import { expect, test } from "vitest";
import { certifyStore } from "../src/index.ts";

test("a case that never ends fails at the limit, and the others are judged", async () => {
  const { isCertified, results } = await certifyStore(
    {
      name: "stuck",
      open: (options) => {
        const store = openMemoryStore(options);
        store.startRollout = () => new Promise(() => undefined);
        return store;
      },
    },
    { aspects: ["attempts"], caseLimitMs: 200 },
  );
  const stuck = results.filter(({ detail }) => detail?.includes("the case was not over after 200 ms") === true);
  const passed = results.filter(({ outcome }) => outcome === "passed");
  expect([isCertified, stuck.length > 0, passed.length > 0]).toEqual([false, true, true]);
});

test("a fixture whose store cannot be opened is closed, and the reason is told", async () => {
  let isClosed = false;
  const fixture = {
    name: "locked",
    open: () => Promise.reject(new Error("the file is locked")),
    close: () => {
      isClosed = true;
    },
  };
  await expect(certifyStore(fixture)).rejects.toThrow("the file is locked");
  expect(isClosed).toBe(true);
});

test("the package is imported without vitest being loaded", async () => {
  const code = `
    import { registerHooks } from "node:module";
    registerHooks({
      resolve(specifier, context, next) {
        if (/vitest/.test(specifier)) throw new Error("vitest was asked for");
        return next(specifier, context);
      },
    });
    const { certifyStore } = await import("@agentlightning/store-conformance");
    process.stdout.write(typeof certifyStore);`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@agentlightning/source", "--input-type=module", "--eval", code],
    { cwd: import.meta.dirname },
  );
  expect(stdout).toBe("function");
});
