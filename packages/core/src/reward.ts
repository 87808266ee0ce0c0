import type { JsonValue } from "./json.ts";
import { attributeNames, spanNames } from "./semconv.ts";
import type { Span } from "./span.ts";

/** One dimension of a reward. */
export interface Reward {
  /** `primary` for a bare number. */
  readonly name: string;
  readonly value: number;
}

/** What reward readers need of a span. */
export type RewardSource = Pick<Span, "name" | "attributes" | "sequenceId">;

/** Numbers and decimal text count, booleans as 1 and 0; what is not finite is no reward. */
function toReward(value: JsonValue | undefined): number | undefined {
  if (typeof value === "boolean") return value ? 1 : 0;
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function indexedRewards(span: RewardSource): readonly Reward[] {
  const rewards: Reward[] = [];
  for (let index = 0; ; index += 1) {
    const raw = span.attributes[`${attributeNames.rewardPrefix}.${index}.value`];
    if (raw === undefined) return rewards;
    const value = toReward(raw);
    const name = span.attributes[`${attributeNames.rewardPrefix}.${index}.name`];
    if (value !== undefined) rewards.push({ name: typeof name === "string" ? name : "primary", value });
  }
}

function parseObject(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as JsonValue;
  } catch {
    return undefined;
  }
}

/** The forms that older writers used: a plain `reward` attribute, or AgentOps output objects. */
function olderRewards(span: RewardSource): readonly Reward[] {
  const plain =
    span.name === spanNames.annotation || span.name === spanNames.reward
      ? toReward(span.attributes["reward"])
      : undefined;
  if (plain !== undefined) return [{ name: "primary", value: plain }];
  for (const key of ["agentops.task.output", "agentops.entity.output"]) {
    const output = parseObject(span.attributes[key]);
    if (typeof output !== "object" || output === null || Array.isArray(output)) continue;
    const fields = output as Readonly<Record<string, JsonValue>>;
    const value = fields["type"] === "reward" ? toReward(fields["value"]) : undefined;
    if (value !== undefined) return [{ name: "primary", value }];
  }
  return [];
}

/** Rewards of one span, the primary one first; empty for any other span. Reads every form the reference's readers accept. */
export function rewardsFromSpan(span: RewardSource): readonly Reward[] {
  const indexed = indexedRewards(span);
  return indexed.length > 0 ? indexed : olderRewards(span);
}

/** Whether a span carries a reward. */
export function isRewardSpan(span: RewardSource): boolean {
  return rewardsFromSpan(span).length > 0;
}

/** The reward spans among `spans`, in sequence order. */
export function findRewardSpans<T extends RewardSource>(spans: Iterable<T>): readonly T[] {
  return [...spans].filter(isRewardSpan).toSorted((a, b) => a.sequenceId - b.sequenceId);
}

/** The primary value of the last reward span in sequence order; zero counts. `undefined` without any. */
export function findFinalReward(spans: Iterable<RewardSource>): number | undefined {
  const last = findRewardSpans(spans).at(-1);
  return last === undefined ? undefined : rewardsFromSpan(last)[0]?.value;
}
