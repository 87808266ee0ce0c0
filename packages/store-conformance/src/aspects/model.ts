import type { LightningStore } from "@agentlightning/core";
import fc from "fast-check";
import { type CaseContext, casesOf, type ConformanceCase } from "../case.ts";
import { play } from "../model/play.ts";
import { histories } from "../model/steps.ts";

async function explore(context: CaseContext, handles: readonly LightningStore[]): Promise<void> {
  const isTimeOurs = context.clock === "injected";
  await fc.assert(
    fc.asyncProperty(histories(isTimeOurs), (rounds) => play(context, handles, rounds)),
    { seed: context.seed, numRuns: context.histories, endOnFailure: !isTimeOurs },
  );
}

export const modelCases: readonly ConformanceCase[] = casesOf("model", [
  [
    "whatever is called at once and after each other, a plain model explains it",
    (context) => explore(context, [context.store]),
  ],
  [
    "whatever is called on two handles, one plain model explains it",
    async (context) => explore(context, [context.store, await context.open()]),
    ["many handles"],
  ],
]);
