import type { CaseResult } from "../suite.ts";

/** Tells of each aspect when its first case is over, and of each failure at once. */
export function createProgress(stream: Pick<NodeJS.WritableStream, "write">): (result: CaseResult) => void {
  let current: string | undefined;
  return ({ aspect, name, outcome }) => {
    if (aspect !== current) stream.write(`${aspect} …\n`);
    current = aspect;
    if (outcome === "failed") stream.write(`  failed: ${name}\n`);
  };
}
