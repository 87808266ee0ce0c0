import type {
  Page,
  ResourcesQuery,
  ResourcesUpdate,
  RolloutEvent,
  RolloutQuery,
  Span,
  SpanQuery,
  StoreCapabilities,
  Worker,
  WorkerQuery,
} from "@agentlightning/core";
import type { RolloutRecord } from "@agentlightning/core/lifecycle";
import type { Awaitable } from "./awaitable.ts";

export type { Awaitable } from "./awaitable.ts";

/** A span on its way into a driver, with its estimated size. */
export interface SpanDraft {
  /** A copy that is the driver's to keep: it sets `sequenceId` where that is unset, and freezes the whole. */
  readonly span: Omit<Span, "sequenceId"> & { sequenceId: number | undefined };
  readonly bytes: number;
}

/** Spans of one rollout, of any of its attempts. */
export interface SpanBatch {
  readonly rolloutId: string;
  readonly drafts: readonly SpanDraft[];
}

/** What a worker write changes; it applies only while `onlyIfAttemptId` (when given) is the worker's current attempt. */
export interface WorkerPatch {
  readonly set: Partial<Omit<Worker, "workerId">>;
  /** Unsets the current rollout and attempt. */
  readonly clearCurrent?: boolean | undefined;
  readonly onlyIfAttemptId?: string | undefined;
}

/** A patch of one worker, created (`unknown`) where it is new. */
export interface WorkerWrite {
  readonly workerId: string;
  readonly patch: WorkerPatch;
}

/** The record that follows another, and what it means for workers. */
export interface RecordChange {
  readonly record: RolloutRecord;
  /** Written in the same atomic step where the engine can do that, otherwise right after it. */
  readonly workers: readonly WorkerWrite[];
}

/** What a claim asks for. */
export interface ClaimRequest {
  readonly limit: number;
  /** Where an attempt made by this request is stored already, nothing is claimed. */
  readonly requestId?: string | undefined;
}

/** What a claim came to. */
export interface ClaimResult {
  /** Those claimed now, in queue order; for a repeat, those in which the request's attempts are. */
  readonly records: readonly RolloutRecord[];
  readonly isRepeat: boolean;
}

/** Numbers a driver keeps. */
export interface DriverCounts {
  readonly rollouts: number;
  readonly attempts: number;
  readonly spans: number;
  readonly resources: number;
  readonly workers: number;
  readonly queued: number;
  readonly spanBytes?: number;
}

/** A change of a rollout's status or latest attempt, as the feed announces it. */
export interface DriverChange extends Omit<RolloutEvent, "cursor"> {
  /** The rollout now waits in the queue. */
  readonly queued: boolean;
  /** Epoch milliseconds; set while the rollout is finished. */
  readonly endTimeMs?: number | undefined;
  /** Its place in the order of all changes, counted up by one, where the engine keeps that order for every handle. */
  readonly sequence?: number | undefined;
}

/**
 * What a storage engine has to offer: atomic operations on one namespace. Everything else of a `LightningStore`
 * (validation, defaults, the rules, waiting, sweeps, retention, statistics) is written once, in {@link createStore}.
 *
 * Every operation is atomic and durable (as far as the engine is) when it resolves. A driver decides no status: it is
 * handed whole records that the rules of `@agentlightning/core/lifecycle` made. Records, spans, resources and workers
 * that it gives are frozen, their direct fields too, and equal in value to what was written, `-0` and every key included.
 *
 * Callbacks (`decide`, `begin`) are synchronous and pure enough to be asked again; what they throw aborts the operation,
 * nothing is written, and the caller gets the very error.
 */
export interface StoreDriver {
  readonly name: string;
  readonly capabilities: StoreCapabilities;

  /** Inserts all records or none; where a rollout id exists already, gives the stored record in its place. Results in input order. `workers` follow a first insert. */
  insertRollouts(
    records: readonly RolloutRecord[],
    workers: readonly WorkerWrite[],
  ): Awaitable<readonly RolloutRecord[]>;
  readRollout(rolloutId: string): Awaitable<RolloutRecord | undefined>;
  /**
   * Reads a record, lets `decide` make the next one, and stores that, as one atomic step; gives the record as it then
   * stands, `undefined` for an unknown one. `decide` gives `undefined` when nothing is to be written, and may be asked
   * again when somebody was faster. A next record of the same revision moved no status: only heartbeat, lease and deadline.
   */
  changeRollout(
    rolloutId: string,
    decide: (record: RolloutRecord) => RecordChange | undefined,
  ): Awaitable<RolloutRecord | undefined>;
  /** Takes up to `limit` waiting records, lowest queue position first (ties by id), and stores what `begin` makes of each, in one atomic step. */
  claimRollouts(request: ClaimRequest, begin: (record: RolloutRecord) => RecordChange): Awaitable<ClaimResult>;
  /** Records whose `nextDeadlineMs` is earlier than `nowMs`, earliest first; costs what is due, not what is stored. */
  dueRollouts(nowMs: number, limit: number): Awaitable<readonly RolloutRecord[]>;
  /** The earliest `nextDeadlineMs` of all. */
  earliestDeadlineMs(): Awaitable<number | undefined>;
  /** Deletes finished rollouts whole: record, spans, everything kept for them. Those that are not finished (any more) stay. */
  dropRollouts(rolloutIds: readonly string[]): Awaitable<void>;

  /** Numbers and inserts the spans that are new by (rollout, attempt, span id), and stamps the heartbeats of their attempts (`acceptSpans` says how); all batches or none. Spans of an unknown rollout are left out. Gives the new ones, batch by batch, in input order. */
  appendSpans(batches: readonly SpanBatch[], nowMs: number): Awaitable<readonly Span[]>;
  /** Takes `count` numbers of the rollout's counter; gives the first. `undefined` for an unknown rollout. */
  reserveSequence(rolloutId: string, count: number): Awaitable<number | undefined>;

  /** One consistent page; `selectRollouts` is the definition. */
  queryRollouts(query: RolloutQuery): Awaitable<Page<RolloutRecord>>;
  /** One consistent page of a rollout's spans; `selectSpans` is the definition. */
  querySpans(rolloutId: string, query: SpanQuery): Awaitable<Page<Span>>;

  /** Stores a version of resources as the latest, if the stored version is `expectedVersion` (0: none). */
  putResources(update: ResourcesUpdate, expectedVersion: number): Awaitable<boolean>;
  readResources(resourcesId: string): Awaitable<ResourcesUpdate | undefined>;
  /** What was put last. */
  latestResources(): Awaitable<ResourcesUpdate | undefined>;
  /** One consistent page, in the order of creation; `selectResources` is the definition. */
  queryResources(query: ResourcesQuery): Awaitable<Page<ResourcesUpdate>>;

  /** Creates the worker (`unknown`) or patches it; gives it as stored. `decide` may look at the stored one first. */
  patchWorker(workerId: string, decide: (worker: Worker | undefined) => WorkerPatch): Awaitable<Worker>;
  readWorker(workerId: string): Awaitable<Worker | undefined>;
  /** One consistent page, in the order of registration; `selectWorkers` is the definition. */
  queryWorkers(query: WorkerQuery): Awaitable<Page<Worker>>;

  counts(): Awaitable<DriverCounts>;
  /** Announces every change of a rollout's status or latest attempt after it was stored, in order, from now on; those of other handles too, at the latest while {@link StoreDriver.attend} lasts. Gives back how to stop. */
  watch(listener: (change: DriverChange) => void): () => void;
  /** Somebody waits: until released, changes made by other processes are looked for. Only needed where the engine does not push them by itself. */
  attend?(): () => void;
  /** The `sequence` of the last change so far, where the engine keeps one. */
  lastSequence?(): number;
  /** Frees what the handle holds. Operations that are under way are finished or fail. */
  close(): Awaitable<void>;
}
