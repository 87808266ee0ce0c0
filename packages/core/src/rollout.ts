import type { Attempt, AttemptStatus } from "./attempt.ts";
import type { JsonObject, JsonValue } from "./json.ts";

/** Every status of a rollout, in the reference's order. */
export const rolloutStatuses = [
  "queuing",
  "preparing",
  "running",
  "failed",
  "succeeded",
  "cancelled",
  "requeuing",
] as const;
/** Where a rollout stands. `queuing` and `requeuing` wait in the queue; `failed`, `succeeded`, `cancelled` are terminal. */
export type RolloutStatus = (typeof rolloutStatuses)[number];

/** Every mode of a rollout. */
export const rolloutModes = ["train", "val", "test"] as const;
/** Which part of the data a rollout belongs to. */
export type RolloutMode = (typeof rolloutModes)[number];

/** Limits and retry rule of one rollout. */
export interface RolloutConfig {
  /** Longest time an attempt may take, in milliseconds from its start. Unset: no bound. */
  readonly timeoutMs?: number;
  /** Longest silence of an attempt (no span, no heartbeat), in milliseconds. Unset: no bound. */
  readonly unresponsiveMs?: number;
  /** Longest time it may wait in the queue, in milliseconds from each queueing; then it fails as `unclaimed`. Unset: no bound. */
  readonly claimWithinMs?: number;
  /** How many attempts the agent may use up, the first included. @defaultValue 1 */
  readonly maxAttempts: number;
  /** Ends of an attempt after which the rollout is queued again while attempts are left. @defaultValue [] */
  readonly retryCondition: readonly AttemptStatus[];
  /** How many leased attempts may be lost to infrastructure before the rollout fails. @defaultValue 3 */
  readonly maxLostAttempts: number;
}

/** Why a rollout ended where no attempt of its own says it: nobody claimed it within `claimWithinMs`. */
export type RolloutEndReason = "unclaimed";

/** One run of an agent over one task input. Records are frozen: a change gives a new record. */
export interface Rollout {
  /** `ro-` + hex digits, unless derived from an idempotency key. */
  readonly rolloutId: string;
  readonly input: JsonValue;
  /** When it was enqueued or started; epoch milliseconds. */
  readonly startTimeMs: number;
  /** When it became terminal; epoch milliseconds. */
  readonly endTimeMs?: number;
  readonly mode?: RolloutMode;
  /** The resources snapshot this rollout is pinned to. */
  readonly resourcesId?: string;
  readonly status: RolloutStatus;
  readonly config: RolloutConfig;
  readonly metadata: JsonObject;
  /** Leased attempts lost to infrastructure so far; they do not count against `maxAttempts`. */
  readonly lostAttempts: number;
  readonly idempotencyKey?: string;
  readonly endReason?: RolloutEndReason;
  /** The latest attempt, where there is one. */
  readonly attempt?: Attempt;
}

/** A rollout that has at least one attempt. */
export interface AttemptedRollout extends Rollout {
  readonly attempt: Attempt;
}

/** What is asked for when a rollout is enqueued or started. */
export interface RolloutRequest {
  readonly input: JsonValue;
  readonly mode?: RolloutMode | undefined;
  /** Unset: the latest resources at that moment, or none. An unknown id is accepted, as in the reference. */
  readonly resourcesId?: string | undefined;
  readonly config?: Partial<RolloutConfig> | undefined;
  readonly metadata?: JsonObject | undefined;
  /** A repeated request with the same key gives the rollout of the first one back. */
  readonly idempotencyKey?: string | undefined;
}

/** Fields of a rollout to change. Absent or `undefined` leaves a field alone; `null` clears it. */
export interface RolloutChanges {
  readonly input?: JsonValue | undefined;
  readonly mode?: RolloutMode | null | undefined;
  readonly resourcesId?: string | null | undefined;
  readonly status?: RolloutStatus | undefined;
  readonly config?: Partial<RolloutConfig> | undefined;
  readonly metadata?: JsonObject | null | undefined;
}
