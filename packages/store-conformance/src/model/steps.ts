import type { RolloutStatus } from "@agentlightning/core";
import fc from "fast-check";

/** One call of a history. Rollouts are named by when they were made, attempts by their place in the list. */
export type Step =
  | { readonly kind: "claim" }
  | { readonly kind: "enqueue" | "lapse" }
  | { readonly kind: "start"; readonly rollout: number }
  | { readonly kind: "span" | "release" | "renew"; readonly rollout: number; readonly attempt: number }
  | {
      readonly kind: "report";
      readonly rollout: number;
      readonly attempt: number;
      readonly status: "succeeded" | "failed";
    }
  | { readonly kind: "update"; readonly rollout: number; readonly status: RolloutStatus };

const pick = fc.nat({ max: 40 });
const statuses = ["queuing", "requeuing", "cancelled", "succeeded", "failed"] as const;
const kindOf = <K extends string>(...kinds: readonly K[]) => fc.constantFrom(...kinds);

const call: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: kindOf("enqueue" as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: kindOf("claim" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: kindOf("start" as const), rollout: pick }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: kindOf("span" as const, "release", "renew"), rollout: pick, attempt: pick }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: kindOf("report" as const),
      rollout: pick,
      attempt: pick,
      status: fc.constantFrom("succeeded" as const, "failed" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: kindOf("update" as const), rollout: pick, status: fc.constantFrom(...statuses) }),
  },
);

/** Rounds of up to three calls made at once; now and then a round in which every lease runs out. */
export function histories(lapses: boolean): fc.Arbitrary<readonly (readonly Step[])[]> {
  const round = fc.array(call, { minLength: 1, maxLength: 3 });
  const lapse = fc.constant([{ kind: "lapse" as const }]);
  const rounds = lapses ? fc.oneof({ weight: 9, arbitrary: round }, { weight: 1, arbitrary: lapse }) : round;
  return fc.array(rounds, { minLength: 1, maxLength: 25 });
}
