import type { Attempt, AttemptChanges, AttemptReport } from "./attempt.ts";
import type { JsonObject } from "./json.ts";
import type { Page } from "./page.ts";
import type { NamedResources, ResourcesUpdate } from "./resources.ts";
import type { AttemptedRollout, Rollout, RolloutChanges, RolloutRequest } from "./rollout.ts";
import type { Span, SpanInput } from "./span.ts";
import type {
  DequeueManyOptions,
  DequeueOptions,
  LeaseOutcome,
  ReportOutcome,
  RolloutEvent,
  StoreCapabilities,
  StoreStatistics,
  WaitOptions,
  WatchOptions,
  WorkOptions,
} from "./store-outcomes.ts";
import type { AttemptSort, PageQuery, ResourcesQuery, RolloutQuery, SpanQuery, WorkerQuery } from "./store-queries.ts";
import type { Worker } from "./worker.ts";

/**
 * The meeting point of algorithms and runners: queue, record of attempts and retries, spans, resources, workers.
 *
 * For every method:
 * - **Records** that come out are frozen; what goes in is validated and copied once, so neither side sees the other's
 *   later changes.
 * - **Atomicity**: a change of a rollout and its attempts is one write. Workers are written after it, guarded by the
 *   attempt, and may lag behind it.
 * - **Durability**: when the promise resolves, the change survives whatever the store's capabilities promise
 *   (`durable`: the end of the process). When it rejects with `invalid_input`, `too_large` or `…_not_found`, nothing was
 *   stored; with `unavailable` or `timeout`, repeat it: every write says below what a repeat does.
 * - **Errors** beside those named: `invalid_input` for what is refused at the border, `unavailable` when the backend is
 *   away, `closed` after {@link LightningStore.close}, `evicted` for a rollout that retention dropped (while its id is
 *   remembered).
 * - **Liveness**: reads of rollouts and attempts, claims and status changes apply overdue deadlines first.
 * - **Clock**: the store's, never the caller's.
 */
export interface LightningStore extends AsyncDisposable {
  readonly capabilities: StoreCapabilities;

  /**
   * Makes a rollout that is never queued, with attempt 1 `preparing`.
   *
   * Order: none. Atomic: rollout and attempt in one write. Repeat or concurrent call with the same `idempotencyKey`:
   * gives the one that was made; without a key each call makes its own.
   *
   * @throws too_large, store_full; conflict for a key that an enqueued rollout has
   */
  startRollout(request: RolloutRequest & WorkOptions): Promise<AttemptedRollout>;

  /**
   * Puts one rollout at the tail of the queue.
   *
   * Order: after everything enqueued before on this handle. Atomic: record and queue place in one write. Repeat or
   * concurrent call with the same `idempotencyKey`: gives the one that was made.
   *
   * @throws too_large, store_full
   */
  enqueueRollout(request: RolloutRequest): Promise<Rollout>;

  /**
   * As {@link LightningStore.enqueueRollout} for many. Order: queue and results in input order. Atomic: all or nothing.
   * Repeat: per request, by its `idempotencyKey`.
   *
   * @throws too_large, store_full
   */
  enqueueManyRollouts(requests: readonly RolloutRequest[]): Promise<readonly Rollout[]>;

  /**
   * Claims the rollout that waits first and makes its next attempt `preparing`; `undefined` when there is none within
   * `waitMs`.
   *
   * Order: head first (handed-back work), then first in, first out; waiting callers are served in the order they came.
   * Atomic: leaving the queue and the attempt are one write. Concurrent calls never get the same rollout. Repeat with
   * the same `requestId`: gives what the first call won and still holds. An aborted wait loses no claim.
   */
  dequeueRollout(options?: DequeueOptions): Promise<AttemptedRollout | undefined>;

  /** As {@link LightningStore.dequeueRollout} for up to `limit`, each atomic for itself, in queue order. The worker's record points at the last. */
  dequeueManyRollouts(options?: DequeueManyOptions): Promise<readonly AttemptedRollout[]>;

  /**
   * Starts a further attempt by hand, from any status, ignoring `maxAttempts`; reopens a terminal rollout.
   *
   * Order: attempts are numbered as they are made. Atomic: attempt and status in one write; it leaves the queue.
   * Concurrent calls each make one. Repeat with the same `idempotencyKey` while that attempt is the latest: gives it.
   *
   * @throws rollout_not_found, attempt_limit
   */
  startAttempt(rolloutId: string, options?: WorkOptions): Promise<AttemptedRollout>;

  /**
   * Changes fields of a rollout; values replace wholesale. `cancelled` ends the live attempt too. A terminal status is
   * final except for `queuing` or `requeuing`, which reopen it at the tail; any other status over it changes nothing.
   *
   * Order: the last of concurrent calls wins, field by field. Atomic: rollout and attempt in one write. A repeat changes
   * nothing further.
   *
   * @throws rollout_not_found
   */
  updateRollout(rolloutId: string, changes: RolloutChanges): Promise<Rollout>;

  /**
   * The reference's update of an attempt (`"latest"` names the latest); only the latest one moves its rollout. A status
   * for an attempt that ended `failed`, `succeeded` or `timeout` changes nothing.
   *
   * Order: the first final status wins. Atomic: attempt and rollout in one write. A repeat changes nothing further.
   *
   * @throws rollout_not_found, attempt_not_found
   */
  updateAttempt(rolloutId: string, attemptId: string, changes: AttemptChanges): Promise<Attempt>;

  /**
   * How a runner ends its attempt: `applied`, or `lost` with the reason why it no longer holds the rollout.
   *
   * Order: the first report wins. Atomic: attempt, rollout and queue place in one write. A repeat of an applied report
   * is `applied`.
   *
   * @throws rollout_not_found, attempt_not_found
   */
  reportAttempt(rolloutId: string, attemptId: string, report: AttemptReport): Promise<ReportOutcome>;

  /**
   * Extends a lease and stamps the heartbeat; revives an attempt whose lease ran out while nobody else has claimed.
   *
   * Order: a renewal never shortens a deadline that a later one has set. Atomic: guarded by the attempt being the latest
   * and live. A repeat renews again.
   */
  renewLease(rolloutId: string, attemptId: string, options: { readonly leaseMs: number }): Promise<LeaseOutcome>;

  /**
   * Hands an attempt back: it ends `unresponsive` with `released`, uncounted, and the rollout goes to the head of the
   * queue (after `maxLostAttempts` it fails).
   *
   * Order, atomicity and repeats: as {@link LightningStore.reportAttempt}.
   *
   * @throws rollout_not_found, attempt_not_found
   */
  releaseAttempt(
    rolloutId: string,
    attemptId: string,
    options?: { readonly reason?: string | undefined },
  ): Promise<ReportOutcome>;

  /** Stamps the heartbeat of an attempt that is alive but silent. Order, atomicity and repeats: as {@link LightningStore.renewLease}, without a lease. */
  heartbeatAttempt(rolloutId: string, attemptId: string): Promise<LeaseOutcome | { readonly status: "held" }>;

  /** The rollout with its latest attempt, as of now; `undefined` for an unknown id. */
  getRolloutById(rolloutId: string): Promise<Rollout | undefined>;
  /** One consistent page. Order: as made, unless sorted; ties by id. */
  queryRollouts(query?: RolloutQuery): Promise<Page<Rollout>>;
  /** Attempts of one rollout by `sequenceId`, unless sorted; empty for an unknown rollout. */
  queryAttempts(rolloutId: string, query?: PageQuery<AttemptSort>): Promise<Page<Attempt>>;
  /** The attempt with the highest `sequenceId`; `undefined` without one, or for an unknown rollout. */
  getLatestAttempt(rolloutId: string): Promise<Attempt | undefined>;

  /**
   * Those of the given rollouts that are terminal by the deadline; woken by the store, never polling where it can notify.
   *
   * Order: as given, duplicates once. Unknown ids are left out and not waited for. Concurrent waiters are all told. What
   * is waited for is kept from retention.
   *
   * @throws aborted when `signal` aborts
   */
  waitForRollouts(rolloutIds: readonly string[], options?: WaitOptions): Promise<readonly Rollout[]>;

  /**
   * Status changes from the moment of the call (or after `since`) on, until `signal` aborts or the store closes.
   *
   * Order: as they were stored, each once. A finished rollout is kept from retention until the next event is asked for.
   *
   * @throws evicted for a cursor whose successors are no longer kept, or when far too many events were left unread
   */
  watchRollouts(options?: WatchOptions): AsyncIterable<RolloutEvent>;

  /**
   * Stores one span; `undefined` for a duplicate (same rollout, attempt, span id), which changes nothing. Stamps the
   * heartbeat; the first span of an attempt makes it `running`, and one for a silent attempt without a lease revives it.
   *
   * Order: `sequenceId`, or the next number of the rollout. Atomic: the span, its number and the heartbeat; the status
   * follows in its own write.
   *
   * @throws rollout_not_found, attempt_not_found, too_large, store_full
   */
  addSpan(span: SpanInput): Promise<Span | undefined>;

  /**
   * As {@link LightningStore.addSpan} for many, of any rollouts. Order: numbers in input order; gives the new ones in
   * input order. Atomic: all or nothing. A repeat stores nothing twice.
   *
   * @throws rollout_not_found, attempt_not_found, too_large, store_full
   */
  addManySpans(spans: readonly SpanInput[]): Promise<readonly Span[]>;

  /** Takes the next number of the rollout's one counter; no two calls get the same. A repeat takes another, leaving a gap. @throws rollout_not_found */
  getNextSpanSequenceId(rolloutId: string, attemptId: string): Promise<number>;
  /** As many numbers as pairs, in input order; those of one rollout are consecutive. @throws rollout_not_found */
  getManySpanSequenceIds(
    pairs: readonly (readonly [rolloutId: string, attemptId: string])[],
  ): Promise<readonly number[]>;
  /** Spans of one rollout. Order: `sequenceId` (ties: start, end, span id), unless sorted. Empty for unknown ids. */
  querySpans(rolloutId: string, query?: SpanQuery): Promise<Page<Span>>;

  /** Stores a new set under a new id, version 1; it becomes the latest. Repeat with the same `idempotencyKey`: gives the set that was stored; without a key a repeat stores another. */
  addResources(
    resources: NamedResources,
    options?: { readonly idempotencyKey?: string | undefined },
  ): Promise<ResourcesUpdate>;
  /**
   * Replaces a set (version + 1), or makes it under this id; it becomes the latest.
   *
   * Order: versions count the calls; concurrent ones each get their own. Repeat with the same
   * `idempotencyKey` while that version is the current one: gives it; without a key a repeat makes a further version,
   * unless `expectedVersion` (0: must not exist) guards it.
   *
   * @throws conflict when `expectedVersion` is not the current one
   */
  updateResources(
    resourcesId: string,
    resources: NamedResources,
    options?: { readonly expectedVersion?: number | undefined; readonly idempotencyKey?: string | undefined },
  ): Promise<ResourcesUpdate>;
  /** The current version; `undefined` for an unknown id. */
  getResourcesById(resourcesId: string): Promise<ResourcesUpdate | undefined>;
  /** The set that was added or updated last. */
  getLatestResources(): Promise<ResourcesUpdate | undefined>;
  /** Current versions. Order: as made, unless sorted. */
  queryResources(query?: ResourcesQuery): Promise<Page<ResourcesUpdate>>;

  /** Registers a worker (`unknown`) or stamps its heartbeat; statistics replace the former ones, status and current ids stay. A repeat stamps again. */
  updateWorker(workerId: string, options?: { readonly heartbeatStats?: JsonObject | undefined }): Promise<Worker>;
  /** `undefined` for an unknown id. */
  getWorkerById(workerId: string): Promise<Worker | undefined>;
  /** One page of workers. Order: as registered, unless sorted. */
  queryWorkers(query?: WorkerQuery): Promise<Page<Worker>>;

  /** Counts as of now. */
  statistics(): Promise<StoreStatistics>;
  /** Wakes what waits (claims and waits for rollouts reject with `closed`, watchers end), then refuses further calls. Idempotent. */
  close(): Promise<void>;
}
