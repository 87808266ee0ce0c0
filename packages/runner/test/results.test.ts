import { llmResource, promptTemplate, proxyLlmResource } from "@agentlightning/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../src/index.ts";
import { openStore, runOne, withFaults } from "./support.ts";

test.each([
  [0.5, 0.5],
  [true, 1],
  [false, 0],
])("a returned %s is the final reward %s", async (result, reward) => {
  expect(await runOne(defineAgent(() => result))).toMatchObject({
    rollout: "succeeded",
    attempts: ["succeeded"],
    reward,
  });
});

test("an agent that returns nothing succeeds, and its own reward stands", async () => {
  const agent = defineAgent((_, { emitReward }) => emitReward(0.75));
  expect(await runOne(agent)).toMatchObject({ rollout: "succeeded", reward: 0.75, spans: [{}] });
});

test("the returned reward is the final one, after all rewards on the way", async () => {
  const agent = defineAgent((_, { emitReward }) => {
    emitReward(0.1);
    emitReward(0.2);
    return 0.9;
  });
  const { reward, spans } = await runOne(agent);
  expect(reward).toBe(0.9);
  expect(spans.map(({ sequenceId }) => sequenceId)).toEqual([1, 2, 3]);
});

test("the final reward is numbered by the write that stores it, so that it costs no call of its own", async () => {
  const store = openStore();
  const asked: number[] = [];
  const counting = withFaults(store, {
    getManySpanSequenceIds: (pairs) => {
      asked.push(pairs.length);
      return store.getManySpanSequenceIds(pairs);
    },
  });
  const { reward, spans } = await runOne(
    defineAgent(() => 0.9),
    { store: counting },
  );
  expect({ asked, reward, numbers: spans.map(({ sequenceId }) => sequenceId) }).toEqual({
    asked: [],
    reward: 0.9,
    numbers: [1],
  });
});

test("returned spans are stored as the attempt's own, in order", async () => {
  const agent = defineAgent(() => [{ name: "think" }, { name: "act", attributes: { tool: "phone" } }]);
  const { rolloutId, spans } = await runOne(agent);
  expect(spans.map(({ name, rolloutId: owner, attributes }) => ({ name, owner, attributes }))).toEqual([
    { name: "think", owner: rolloutId, attributes: {} },
    { name: "act", owner: rolloutId, attributes: { tool: "phone" } },
  ]);
});

test("an empty list of spans succeeds with a warning", async () => {
  const { rollout, lines } = await runOne(defineAgent(() => []));
  expect(rollout).toBe("succeeded");
  expect(lines).toContain("warn the agent returned an empty list of spans");
});

test.each([
  ["NaN", Number.NaN],
  ["a string", "done"],
  ["an object", { reward: 1 }],
])("%s as a result fails the attempt and is named", async (kind, result) => {
  // @ts-expect-error a result that types refuse
  const { rollout, error, reward } = await runOne(defineAgent(() => result));
  expect({ rollout, reward }).toEqual({ rollout: "failed", reward: undefined });
  expect(error).toContain(`agent_result_invalid: The agent returned ${kind}`);
});

test("a task that its schema refuses fails before the agent runs", async () => {
  let ran = false;
  const agent = defineAgent({
    schema: z.object({ question: z.string() }),
    rollout: () => {
      ran = true;
    },
  });
  const { rollout, error, endReason } = await runOne(agent, { input: { question: 7 } as never });
  expect({ rollout, ran, endReason }).toEqual({ rollout: "failed", ran: false, endReason: "agent_error" });
  expect(error).toMatch(/^task_invalid: .*question/);
});

test("the agent is given the task as its schema returns it", async () => {
  const agent = defineAgent({
    schema: z.object({ count: z.string().transform(Number) }),
    rollout: ({ count }) => count,
  });
  expect(await runOne(agent, { input: { count: "3" } })).toMatchObject({ reward: 3 });
});

test("the mode of the rollout chooses the function", async () => {
  const agent = defineAgent({ train: () => 1, val: () => 2 });
  expect(await runOne(agent, { request: { mode: "train" } })).toMatchObject({ reward: 1 });
  expect(await runOne(agent, { request: { mode: "val" } })).toMatchObject({ reward: 2 });
  expect(await runOne(agent, { request: { mode: "test" } })).toMatchObject({ reward: 2 });
});

const main = llmResource({ endpoint: "http://model/v1", model: "small" });

test("llm is the first LLM resource, with its base URL", async () => {
  const store = openStore();
  await store.addResources({ prompt: promptTemplate("Hi {name}"), main });
  const seen: unknown[] = [];
  const agent = defineAgent((_, { llm, promptTemplate: prompt }) => {
    seen.push({ ...llm }, prompt.format({ name: "Ada" }));
  });
  expect(await runOne(agent, { store })).toMatchObject({ rollout: "succeeded" });
  expect(seen).toEqual([{ ...main, baseUrl: "http://model/v1" }, "Hi Ada"]);
});

test("a proxied LLM is an LLM whose URL names this rollout and attempt", async () => {
  const store = openStore();
  await store.addResources({ main: proxyLlmResource({ endpoint: "http://proxy:8000/v1", model: "big" }) });
  let seen: unknown;
  const agent = defineAgent((_, { llm, attempt }) => {
    seen = { type: llm.resourceType, url: llm.baseUrl, endpoint: llm.endpoint, attemptId: attempt.attemptId };
  });
  const { rolloutId } = await runOne(agent, { store });
  const attemptId = (await store.getLatestAttempt(rolloutId))?.attemptId;
  const url = `http://proxy:8000/rollout/${rolloutId}/attempt/${attemptId}/v1`;
  expect(seen).toEqual({ type: "llm", url, endpoint: url, attemptId });
});

test("of several LLMs the first is taken, with one warning per runner", async () => {
  const store = openStore();
  await store.addResources({ main, other: llmResource({ endpoint: "http://other/v1", model: "other" }) });
  await store.enqueueRollout({ input: 1 });
  const agent = defineAgent((_, { llm }) => (llm.model === "small" ? 1 : 0));
  const { summary, lines, reward } = await runOne(agent, { store, maxRollouts: 2 });
  expect({ succeeded: summary.succeeded, reward }).toEqual({ succeeded: 2, reward: 1 });
  expect(lines.filter((line) => line.includes("several"))).toEqual([
    "warn several resources could be an LLM (main, other); taking main",
  ]);
});

test("a missing resource fails the agent that asks for it, and says what there is", async () => {
  const store = openStore();
  await store.addResources({ prompt: promptTemplate("Hi") });
  const { rollout, error } = await runOne(
    defineAgent((_, { llm }) => void llm),
    { store },
  );
  expect(rollout).toBe("failed");
  expect(error).toMatch(/^resource_missing: The agent asks for an LLM, .*they are: prompt/);
});

test("an agent that asks for no resource needs none", async () => {
  expect(await runOne(defineAgent((task) => (task === "task" ? 1 : 0)))).toMatchObject({
    rollout: "succeeded",
    reward: 1,
  });
});

test("resources that the store does not have fail the attempt before the agent runs, with their id", async () => {
  let ran = false;
  const agent = defineAgent(() => {
    ran = true;
  });
  const { rollout, error } = await runOne(agent, { request: { resourcesId: "rs-gone" } });
  expect({ rollout, ran }).toEqual({ rollout: "failed", ran: false });
  expect(error).toMatch(/^resources_not_found: .*"rs-gone"/);
});

test("a rollout keeps the resources it was enqueued with", async () => {
  const store = openStore();
  await store.addResources({ main });
  const { rolloutId } = await store.enqueueRollout({ input: 1 });
  await store.addResources({ main: llmResource({ endpoint: "http://newer/v1", model: "newer" }) });
  const models: string[] = [];
  await runOne(
    defineAgent((_, { llm }) => void models.push(llm.model)),
    { store, maxRollouts: 2 },
  );
  expect((await store.getRolloutById(rolloutId))?.status).toBe("succeeded");
  expect(models).toEqual(["small", "newer"]);
});
