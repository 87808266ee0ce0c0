import { attributeNames, InvalidInputError, spanNames, type SpanAttributes } from "@agentlightning/core";
import { emitSpan } from "./emit.ts";

/** Options of {@link emitReward}. */
export interface EmitRewardOptions {
  /** Which dimension of a map is the primary one; needed for a map. */
  readonly primaryKey?: string | undefined;
  /** Further attributes of the reward's span. */
  readonly attributes?: SpanAttributes | undefined;
}

function checkReward(value: unknown, name: string): number {
  const number = typeof value === "boolean" ? Number(value) : value;
  if (typeof number === "number" && Number.isFinite(number)) return number;
  throw new InvalidInputError({
    message: `reward "${name}" must be a finite number, got ${typeof value === "string" ? `"${value}"` : String(value)}`,
  });
}

function dimensions(
  reward: number | boolean | Readonly<Record<string, number>>,
  primaryKey: string | undefined,
): readonly (readonly [string, number])[] {
  if (typeof reward !== "object" || reward === null) return [["primary", checkReward(reward, "primary")]];
  const names = Object.keys(reward);
  if (primaryKey === undefined || !names.includes(primaryKey)) {
    throw new InvalidInputError({
      message: `a reward map needs primaryKey, one of: ${names.join(", ") || "(the map is empty)"}; got ${String(primaryKey)}`,
    });
  }
  return [primaryKey, ...names.filter((name) => name !== primaryKey)].map((name) => [
    name,
    checkReward(reward[name], name),
  ]);
}

/**
 * Records a reward for the current attempt. The last one of an attempt is its final reward; in a map, the primary
 * dimension stands first.
 *
 * @throws invalid_input for what is no finite number, or a map without `primaryKey`; no_active_rollout
 */
export function emitReward(
  reward: number | boolean | Readonly<Record<string, number>>,
  options: EmitRewardOptions = {},
): void {
  const rewards = dimensions(reward, options.primaryKey).flatMap(
    ([name, value], index): (readonly [string, string | number])[] => [
      [`${attributeNames.rewardPrefix}.${index}.name`, name],
      [`${attributeNames.rewardPrefix}.${index}.value`, value],
    ],
  );
  emitSpan({ name: spanNames.annotation, attributes: { ...options.attributes, ...Object.fromEntries(rewards) } });
}
