import { describe, expect, test } from "vitest";
import type { SpanAttributes } from "./index.ts";
import { findFinalReward, findRewardSpans, rewardsFromSpan } from "./index.ts";

const span = (sequenceId: number, attributes: SpanAttributes, name = "agentlightning.annotation") => ({
  sequenceId,
  attributes,
  name,
});
const reward = (sequenceId: number, value: number | string | boolean) =>
  span(sequenceId, { "agentlightning.reward.0.name": "primary", "agentlightning.reward.0.value": value });

describe("a reward is read in every form that writers used", () => {
  test.each<[string, SpanAttributes, number | undefined]>([
    ["indexed", { "agentlightning.reward.0.name": "primary", "agentlightning.reward.0.value": 0.5 }, 0.5],
    ["plain attribute", { reward: 0.5 }, 0.5],
    ["zero", { "agentlightning.reward.0.value": 0 }, 0],
    ["decimal text", { "agentlightning.reward.0.value": "0.5" }, 0.5],
    ["boolean", { "agentlightning.reward.0.value": true }, 1],
    ["object of AgentOps", { "agentops.task.output": { type: "reward", value: 0.5 } }, 0.5],
    ["JSON of AgentOps", { "agentops.entity.output": '{"type":"reward","value":0.5}' }, 0.5],
    ["output of AgentOps that is none", { "agentops.entity.output": '{"type":"text","value":0.5}' }, undefined],
    ["broken JSON", { "agentops.entity.output": "{" }, undefined],
    ["not a number", { "agentlightning.reward.0.value": Number.NaN }, undefined],
    ["infinite", { reward: Number.POSITIVE_INFINITY }, undefined],
    ["words", { "agentlightning.reward.0.value": "good" }, undefined],
    ["empty text", { "agentlightning.reward.0.value": "" }, undefined],
  ])("%s", (_form, attributes, expected) => {
    expect(findFinalReward([span(1, attributes)])).toBe(expected);
  });
});

test("the dimensions keep their order, the primary one first", () => {
  const attributes = {
    "agentlightning.reward.0.name": "accuracy",
    "agentlightning.reward.0.value": 1,
    "agentlightning.reward.1.name": "speed",
    "agentlightning.reward.1.value": 0.2,
  };
  expect(rewardsFromSpan(span(1, attributes))).toEqual([
    { name: "accuracy", value: 1 },
    { name: "speed", value: 0.2 },
  ]);
});

test("the last reward in sequence order is the final one, whatever order spans come in", () => {
  const spans = [reward(12, 0.9), reward(2, 0.1), span(13, { other: 1 }), reward(9, 0.3)];
  expect(findFinalReward(spans)).toBe(0.9);
  expect(findRewardSpans(spans).map(({ sequenceId }) => sequenceId)).toEqual([2, 9, 12]);
});

test("without rewards there is none", () => {
  expect(findFinalReward([])).toBeUndefined();
  expect(findFinalReward([span(1, { reward: 1 }, "some other span")])).toBeUndefined();
});
