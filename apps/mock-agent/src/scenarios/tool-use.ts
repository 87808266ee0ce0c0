import type { Scenario } from "./scenario.ts";

/** Several turns: the model asks for a tool, gets its result, and answers. */
export const toolUse: Scenario = {
  name: "tool-use",
  about: "the model calls a tool, reads its result and answers; spans nest",
  agents: ["rooms"],
  taskCount: 12,
  plan: ({ makeAgent, tasks }) => ({
    agent: makeAgent(),
    tasks,
    expect: () => ({ status: "succeeded" }),
    check: ({ latestSpans }) => {
      const calls = latestSpans.filter(({ name }) => name.startsWith("chat "));
      const tools = latestSpans.filter(({ name }) => name.startsWith("execute_tool "));
      const problems: string[] = [];
      if (calls.length !== 2) problems.push(`has ${calls.length} model calls instead of 2`);
      if (tools.length !== 1) problems.push(`has ${tools.length} tool spans instead of 1`);
      const [first, second] = calls;
      const [tool] = tools;
      if (first === undefined || second === undefined || tool === undefined) return problems;
      if (tool.parentId === undefined) problems.push("its tool span has no parent");
      if (tool.traceId !== first.traceId) problems.push("its tool span is in another trace than the model call");
      if (!(first.sequenceId < tool.sequenceId && tool.sequenceId < second.sequenceId)) {
        problems.push(`its order is call #${first.sequenceId}, tool #${tool.sequenceId}, call #${second.sequenceId}`);
      }
      return problems;
    },
  }),
};
