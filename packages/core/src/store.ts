import type { Attempt, AttemptChanges, AttemptReport } from "./attempt.ts";
import type { AttemptStatus } from "./attempt.ts";
import type { JsonObject } from "./json.ts";
import type { Page } from "./page.ts";
import type { NamedResources, ResourcesUpdate } from "./resources.ts";
import type { AttemptedRollout, Rollout, RolloutChanges, RolloutRequest, RolloutStatus } from "./rollout.ts";
import type { attemptSorts, resourcesSorts, rolloutSorts, spanSorts, workerSorts } from "./sorts.ts";
import type { Span, SpanInput } from "./span.ts";
import type { Worker, WorkerStatus } from "./worker.ts";

/** Sorting and paging of a query. */
export interface PageQuery<TSort extends string> {
  /** Ties are broken by id, so that pages never overlap. */
  readonly sortBy?: TSort | undefined;
  /** @defaultValue "asc" */
  readonly sortOrder?: "asc" | "desc" | undefined;
  /** At least 0, or -1 for all. @defaultValue -1 */
  readonly limit?: number | undefined;
  /** At least 0. @defaultValue 0 */
  readonly offset?: number | undefined;
}

export type RolloutSort = (typeof rolloutSorts)[number];
export type AttemptSort = (typeof attemptSorts)[number];
export type SpanSort = (typeof spanSorts)[number];
export type WorkerSort = (typeof workerSorts)[number];
export type ResourcesSort = (typeof resourcesSorts)[number];

/** Conditions are pooled by `filterLogic`; a condition that is `undefined` is ignored; an empty list matches nothing. */
export interface RolloutQuery extends PageQuery<RolloutSort> {
  readonly statusIn?: readonly RolloutStatus[] | undefined;
  readonly rolloutIdIn?: readonly string[] | undefined;
  /** Case-sensitive substring, never a pattern. */
  readonly rolloutIdContains?: string | undefined;
  /** @defaultValue "and" */
  readonly filterLogic?: "and" | "or" | undefined;
}

/** Which spans of one rollout; the attempt always restricts, the other conditions are pooled by `filterLogic`. */
export interface SpanQuery extends PageQuery<SpanSort> {
  /** An attempt's id, `"latest"`, or unset for all attempts. */
  readonly attemptId?: string | undefined;
  readonly traceId?: string | undefined;
  readonly traceIdContains?: string | undefined;
  readonly spanId?: string | undefined;
  readonly spanIdContains?: string | undefined;
  readonly parentId?: string | undefined;
  readonly parentIdContains?: string | undefined;
  readonly name?: string | undefined;
  readonly nameContains?: string | undefined;
  readonly filterLogic?: "and" | "or" | undefined;
}

export interface WorkerQuery extends PageQuery<WorkerSort> {
  readonly statusIn?: readonly WorkerStatus[] | undefined;
  readonly workerIdContains?: string | undefined;
  readonly filterLogic?: "and" | "or" | undefined;
}

export interface ResourcesQuery extends PageQuery<ResourcesSort> {
  readonly resourcesId?: string | undefined;
  readonly resourcesIdContains?: string | undefined;
}

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

/**
 * The meeting point of algorithms and runners: queue, record of attempts and retries, spans, resources, workers.
 *
 * Holds for every method. **Records** that come out are frozen; what goes in is validated and copied once, so neither
 * side sees the other's later changes. **Errors**: `invalid_input` for what is refused at the border (nothing is
 * stored), `unavailable` when the backend is away, `closed` after {@link LightningStore.close}. **Liveness**: a read
 * or claim applies overdue deadlines first. **Clock**: the store's, never the caller's. Rules of status:
 * `spec-store.md` §2 of the reference study, in `lifecycle/`.
 */
export interface LightningStore extends AsyncDisposable {
  readonly capabilities: StoreCapabilities;

  /** Makes a rollout that is never queued, with attempt 1 `preparing`, in one write. A repeat with the same `idempotencyKey` gives the first one back. @throws invalid_input, too_large, store_full */
  startRollout(request: RolloutRequest & WorkOptions): Promise<AttemptedRollout>;
  /** Puts one rollout at the tail of the queue. Durable when it resolves. @throws invalid_input, too_large, store_full */
  enqueueRollout(request: RolloutRequest): Promise<Rollout>;
  /** As {@link LightningStore.enqueueRollout} for many: one write, all or nothing, results and queue in input order. */
  enqueueManyRollouts(requests: readonly RolloutRequest[]): Promise<readonly Rollout[]>;
  /** Claims the oldest waiting rollout and makes its next attempt in the same write; `undefined` when there is none. Never gives one rollout to two callers. */
  dequeueRollout(options?: DequeueOptions): Promise<AttemptedRollout | undefined>;
  /** Claims up to `limit` in queue order. */
  dequeueManyRollouts(options?: DequeueManyOptions): Promise<readonly AttemptedRollout[]>;
  /** Starts a further attempt by hand, from any status, ignoring `maxAttempts`; reopens a terminal rollout and clears its end time. @throws rollout_not_found, attempt_limit */
  startAttempt(rolloutId: string, options?: WorkOptions): Promise<AttemptedRollout>;

  /** Changes fields of a rollout. `cancelled` ends the live attempt; one terminal status over another changes nothing; `queuing`/`requeuing` reopens. Values replace wholesale. @throws rollout_not_found */
  updateRollout(rolloutId: string, changes: RolloutChanges): Promise<Rollout>;
  /** The reference's attempt update: only the latest attempt moves its rollout. A status for an attempt that ended `failed`, `succeeded` or `timeout` changes nothing. @throws rollout_not_found, attempt_not_found */
  updateAttempt(rolloutId: string, attemptId: string, changes: AttemptChanges): Promise<Attempt>;
  /** How our runner ends its attempt: applied, or told that it no longer holds the rollout. A repeat of an applied report is `applied`. */
  reportAttempt(rolloutId: string, attemptId: string, report: AttemptReport): Promise<ReportOutcome>;
  /** Extends a leased attempt and stamps its heartbeat; never sets a deadline on an attempt that ended. */
  renewLease(rolloutId: string, attemptId: string, options: { readonly leaseMs: number }): Promise<LeaseOutcome>;
  /** Hands an attempt back: it ends `unresponsive`/`released`, uncounted, and the rollout goes to the head of the queue. */
  releaseAttempt(
    rolloutId: string,
    attemptId: string,
    options?: { readonly reason?: string | undefined },
  ): Promise<ReportOutcome>;
  /** Stamps an attempt's heartbeat without a span (an agent that is alive but silent). */
  heartbeatAttempt(rolloutId: string, attemptId: string): Promise<LeaseOutcome | { readonly status: "held" }>;

  /** `undefined` for an unknown id. @throws evicted while a dropped id is remembered */
  getRolloutById(rolloutId: string): Promise<Rollout | undefined>;
  queryRollouts(query?: RolloutQuery): Promise<Page<Rollout>>;
  /** Attempts of a rollout, by `sequenceId` unless asked otherwise; empty for an unknown rollout. */
  queryAttempts(rolloutId: string, query?: PageQuery<AttemptSort>): Promise<Page<Attempt>>;
  getLatestAttempt(rolloutId: string): Promise<Attempt | undefined>;
  /** Those of the given rollouts that are terminal by the deadline, in input order, duplicates once; unknown ids are left out and not waited for. Woken by the store. @throws aborted */
  waitForRollouts(rolloutIds: readonly string[], options?: WaitOptions): Promise<readonly Rollout[]>;
  /** Status changes from the moment of the call (or after `since`) on, in order, until `signal` aborts or the store closes. */
  watchRollouts(options?: WatchOptions): AsyncIterable<RolloutEvent>;

  /** Stores one span; `undefined` for a duplicate (same rollout, attempt, span id). Stamps the heartbeat; may move `preparing` to `running` or revive. @throws rollout_not_found, attempt_not_found, evicted, too_large */
  addSpan(span: SpanInput): Promise<Span | undefined>;
  /** Stores a batch, all or nothing; gives those that were new, in input order. Spans without `sequenceId` get consecutive numbers in input order. */
  addManySpans(spans: readonly SpanInput[]): Promise<readonly Span[]>;
  /** Next number of the rollout's one counter. @throws rollout_not_found */
  getNextSpanSequenceId(rolloutId: string, attemptId: string): Promise<number>;
  /** As many numbers as pairs, in input order. */
  getManySpanSequenceIds(
    pairs: readonly (readonly [rolloutId: string, attemptId: string])[],
  ): Promise<readonly number[]>;
  /** Spans of one rollout by `sequenceId` (ties: start, end, span id) unless asked otherwise; empty for unknown ids. @throws evicted */
  querySpans(rolloutId: string, query?: SpanQuery): Promise<Page<Span>>;

  /** Stores a new set under a new id, version 1; it becomes the latest. */
  addResources(resources: NamedResources): Promise<ResourcesUpdate>;
  /** Replaces a set (version + 1), or makes it under this id; it becomes the latest. @throws conflict when `expectedVersion` is not the current one (0: must not exist) */
  updateResources(
    resourcesId: string,
    resources: NamedResources,
    options?: { readonly expectedVersion?: number | undefined },
  ): Promise<ResourcesUpdate>;
  getResourcesById(resourcesId: string): Promise<ResourcesUpdate | undefined>;
  getLatestResources(): Promise<ResourcesUpdate | undefined>;
  queryResources(query?: ResourcesQuery): Promise<Page<ResourcesUpdate>>;

  /** Registers a worker or stamps its heartbeat; statistics replace the former ones. Status and current ids stay. */
  updateWorker(workerId: string, options?: { readonly heartbeatStats?: JsonObject | undefined }): Promise<Worker>;
  getWorkerById(workerId: string): Promise<Worker | undefined>;
  queryWorkers(query?: WorkerQuery): Promise<Page<Worker>>;

  statistics(): Promise<StoreStatistics>;
  /** Wakes what waits, then refuses further calls with `closed`. Idempotent. */
  close(): Promise<void>;
}

/** Statuses after which a retry may follow. */
export type RetryableAttemptStatus = Extract<AttemptStatus, "failed" | "timeout" | "unresponsive">;
