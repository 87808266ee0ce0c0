import type { Attempt, AttemptStatus } from "./attempt.ts";
import type { RolloutStatus } from "./rollout.ts";

/** What names the worker of an attempt, and makes a repeat safe. */
export interface WorkOptions {
  readonly workerId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

export interface DequeueOptions {
  readonly workerId?: string | undefined;
  /** Makes the claim a leased one; renew with {@link LightningStore.renewLease}. Unset: the reference's behaviour. */
  readonly leaseMs?: number | undefined;
  /** A repeated claim with the same id gives what the first one won and still holds, never more. */
  readonly requestId?: string | undefined;
  /** How long to wait for work when there is none, in milliseconds. @defaultValue 0 */
  readonly waitMs?: number | undefined;
  /** Ends the wait: the call then resolves with nothing claimed. Never loses a claim. */
  readonly signal?: AbortSignal | undefined;
}

export interface DequeueManyOptions extends DequeueOptions {
  /** At most this many; 0 or less claims none. @defaultValue 1 */
  readonly limit?: number | undefined;
}

export interface WaitOptions {
  /** Unset: as long as it takes. 0: look and return. */
  readonly timeoutMs?: number | undefined;
  /** Rejects the wait with an AbortedError. */
  readonly signal?: AbortSignal | undefined;
}

export interface WatchOptions {
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
  /** A cursor of an earlier event: continues after it. Unset: from now on. */
  readonly since?: string | undefined;
}

/** A rollout's status moved. */
export interface RolloutEvent {
  readonly rolloutId: string;
  readonly status: RolloutStatus;
  readonly attemptId?: string;
  readonly cursor: string;
}

/** Outcome of a lease renewal. */
export type LeaseOutcome =
  | { readonly status: "held"; readonly leaseExpiresAtMs: number }
  | { readonly status: "lost"; readonly reason: LostReason };
/** Why an attempt no longer holds its rollout. */
export type LostReason = "cancelled" | "superseded" | "ended" | "not_found";

/** Outcome of an attempt's report or hand-back. */
export type ReportOutcome =
  | { readonly status: "applied"; readonly attempt: Attempt }
  | { readonly status: "lost"; readonly reason: LostReason; readonly attempt?: Attempt };

/** Facts about a store that callers and the conformance suite rely on. */
export interface StoreCapabilities {
  /** Data survives the end of the process. */
  readonly durable: boolean;
  /** Several processes may open it at once. */
  readonly multiProcess: boolean;
  /** Waits are woken by the engine rather than by polling. */
  readonly watch: boolean;
  readonly timeResolutionMs: number;
  readonly maxInputBytes: number;
  readonly maxSpanBytes: number;
}

export interface StoreStatistics {
  readonly name: string;
  readonly totalRollouts: number;
  readonly totalAttempts: number;
  readonly totalSpans: number;
  readonly totalResources: number;
  readonly totalWorkers: number;
  /** Rollouts waiting in the queue. */
  readonly queuedRollouts: number;
  readonly uptimeMs: number;
  /** Estimated bytes of the spans held, where the store keeps count. */
  readonly totalSpanBytes?: number;
}

/** Statuses after which a retry may follow. */
export type RetryableAttemptStatus = Extract<AttemptStatus, "failed" | "timeout" | "unresponsive">;
