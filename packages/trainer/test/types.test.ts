import { Baseline, type BaselineReport, defineAlgorithm } from "@agentlightning/algorithm";
import { jsonlFile } from "@agentlightning/core/node";
import { defineAgent } from "@agentlightning/runner";
import { expectTypeOf, test } from "vitest";
import { Trainer } from "../src/index.ts";

interface Task {
  readonly question: string;
}

test("what fit and dev give is what the algorithm returns, and the data must fit the agent", () => {
  const agent = defineAgent<Task>(({ question }) => question.length);
  const check = () => {
    const trainer = new Trainer({ algorithm: new Baseline() });
    expectTypeOf(trainer.fit(agent, { trainDataset: [{ question: "?" }] })).toEqualTypeOf<Promise<BaselineReport>>();
    expectTypeOf(trainer.fit(agent, { trainDataset: jsonlFile("tasks.jsonl") })).toEqualTypeOf<
      Promise<BaselineReport>
    >();
    expectTypeOf(new Trainer().fit(agent)).toEqualTypeOf<Promise<undefined>>();
    expectTypeOf(new Trainer().dev(agent)).toEqualTypeOf<Promise<BaselineReport>>();
    const algorithm = defineAlgorithm<Task, { winner: string }>(() => ({ winner: "a" }));
    expectTypeOf(new Trainer({ algorithm }).fit(agent)).toEqualTypeOf<Promise<{ winner: string }>>();
    expectTypeOf(new Trainer({ algorithm }).dev(agent)).toEqualTypeOf<Promise<{ winner: string }>>();
    // @ts-expect-error tasks without the field that the agent needs
    void trainer.fit(agent, { trainDataset: [{ answer: "?" }] });
  };
  expectTypeOf(check).toBeFunction();
});
