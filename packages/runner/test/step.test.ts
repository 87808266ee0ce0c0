import { AbortedError, llmResource } from "@agentlightning/core";
import { emitMessage, emitReward } from "@agentlightning/otel";
import { expect, test } from "vitest";
import { defineAgent, Runner } from "../src/index.ts";
import { gate, openStore, recordingLogger, stored } from "./support.ts";

const { logger } = recordingLogger();

test("step runs one sample outside the queue and gives its rollout, spans and reward", async () => {
  const store = openStore();
  const agent = defineAgent<{ question: string }>(({ question }, { llm, mode }) => {
    emitMessage(`${question} ${llm.model} ${mode}`);
    return 0.5;
  });
  const runner = new Runner({ store, agent, logger });
  const resources = { main: llmResource({ endpoint: "http://m/v1", model: "small" }) };
  const { rollout, attempt, spans, reward } = await runner.step({ question: "why?" }, { resources, mode: "val" });
  expect({ status: rollout.status, mode: rollout.mode, input: rollout.input }).toEqual({
    status: "succeeded",
    mode: "val",
    input: { question: "why?" },
  });
  expect(attempt.status).toBe("succeeded");
  expect(reward).toBe(0.5);
  expect(spans).toHaveLength(2);
  expect(JSON.stringify(spans[0]?.attributes)).toContain("why? small val");
  expect((await store.statistics()).queuedRollouts).toBe(0);
});

test("step rethrows what the agent threw, after reporting it", async () => {
  const store = openStore();
  for (const thrown of [new RangeError("mine"), undefined]) {
    const agent = defineAgent(() => {
      throw thrown;
    });
    const outcome = await new Runner({ store, agent, logger }).step("x").then(
      () => "resolved",
      (error: unknown) => ({ error }),
    );
    expect(outcome).toEqual({ error: thrown });
  }
  expect((await store.queryRollouts()).items.map(({ status }) => status)).toEqual(["failed", "failed"]);
});

test("step's signal cancels the rollout and aborts the agent", async () => {
  const store = openStore();
  const stop = new AbortController();
  const started = gate<string>();
  const agent = defineAgent(async (_, { signal, rollout }) => {
    started.resolve(rollout.rolloutId);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
  const stepping = new Runner({ store, agent, logger }).step("x", { signal: stop.signal });
  const rolloutId = await started.promise;
  stop.abort(new Error("enough"));
  await expect(stepping).rejects.toMatchObject({ code: "aborted", cause: new Error("enough") });
  expect((await stored(store, rolloutId)).rollout).toBe("cancelled");
  await expect(new Runner({ store, agent, logger }).step("x", { signal: stop.signal })).rejects.toBeInstanceOf(
    AbortedError,
  );
  expect((await store.queryRollouts()).total).toBe(1);
});

test("concurrent steps of one runner never mix their rewards, messages and spans", async () => {
  const store = openStore();
  const agent = defineAgent<number>(async (task, { rollout, tracer }) => {
    const wait = async () => {
      for (let turns = (task * 7) % 5; turns > 0; turns -= 1) await new Promise(setImmediate);
    };
    await wait();
    emitMessage(rollout.rolloutId);
    await wait();
    await tracer.startActiveSpan(rollout.rolloutId, async (span) => {
      await wait();
      emitReward(task);
      span.end();
    });
  });
  const runner = new Runner({ store, agent, logger });
  for (let round = 0; round < 25; round += 1) {
    const results = await Promise.all(Array.from({ length: 20 }, (_, index) => runner.step(round * 20 + index)));
    for (const [index, { rollout, spans, reward }] of results.entries()) {
      expect(reward).toBe(round * 20 + index);
      expect(spans.map((span) => span.rolloutId)).toEqual([rollout.rolloutId, rollout.rolloutId, rollout.rolloutId]);
      const text = JSON.stringify(spans.map(({ name, attributes }) => ({ name, attributes })));
      expect(text.split(rollout.rolloutId)).toHaveLength(3);
      expect(text.match(/ro-[0-9a-f]+/g)?.every((id) => id === rollout.rolloutId)).toBe(true);
    }
  }
});
