import type { JsonObject } from "./json.ts";

/** Every status of an attempt, in the reference's order. */
export const attemptStatuses = ["preparing", "running", "failed", "succeeded", "unresponsive", "timeout"] as const;
/** Where an attempt stands. */
export type AttemptStatus = (typeof attemptStatuses)[number];

/** Every end reason of an attempt. */
export const attemptEndReasons = [
  /** The rollout was cancelled. */
  "cancelled",
  /** Its lease ran out. */
  "lease_expired",
  /** Its runner handed it back (shutdown). */
  "released",
  /** A batch claim whose claimer died before it was delivered. */
  "undelivered",
  /** It ended, but not all its spans could be delivered. */
  "spans_lost",
  /** The agent threw or returned something it may not. */
  "agent_error",
  "timeout",
  "unresponsive",
] as const;
/** Why an attempt ended, beyond what its status says. */
export type AttemptEndReason = (typeof attemptEndReasons)[number];

/** One execution of a rollout by a runner. The attempt id is also the fencing token of the claim. */
export interface Attempt {
  readonly rolloutId: string;
  /** `at-` + hex digits; unique within its rollout. */
  readonly attemptId: string;
  /** 1, 2, 3, … within the rollout. */
  readonly sequenceId: number;
  readonly startTimeMs: number;
  readonly endTimeMs?: number;
  readonly status: AttemptStatus;
  readonly workerId?: string;
  /** When the last span or heartbeat arrived; epoch milliseconds. */
  readonly lastHeartbeatTimeMs?: number;
  readonly metadata?: JsonObject;
  /** When its lease runs out, for an attempt that was claimed with one. */
  readonly leaseExpiresAtMs?: number;
  readonly endReason?: AttemptEndReason;
  /** How the agent failed, as text. */
  readonly error?: string;
  /** Spans its runner could not deliver. */
  readonly droppedSpans?: number;
  /** The claim that made it, so that a repeated claim gives it back. */
  readonly requestId?: string;
}

/** Fields of an attempt to change; `undefined` leaves a field alone. */
export interface AttemptChanges {
  readonly status?: AttemptStatus | undefined;
  readonly workerId?: string | undefined;
  readonly lastHeartbeatTimeMs?: number | undefined;
  readonly metadata?: JsonObject | undefined;
}

/** How a runner says that its attempt ended. */
export interface AttemptReport {
  readonly status: "succeeded" | "failed" | "timeout" | "unresponsive";
  readonly endReason?: AttemptEndReason | undefined;
  readonly error?: string | undefined;
  readonly droppedSpans?: number | undefined;
}
