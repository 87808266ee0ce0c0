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

/** A record, or the word for one that retention dropped. */
export type RecordLookup = RolloutRecord | "evicted" | undefined;

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

/** A change as the feed announces it; `queued` when the rollout now waits in the queue. */
export type DriverChange = Omit<RolloutEvent, "cursor"> & { readonly queued: boolean };

/**
 * What a storage engine has to offer: a dozen atomic operations. Everything else of a `LightningStore` (validation,
 * defaults, the rules, waiting, sweeps, statistics) is written once, in {@link createStore}.
 *
 * Every operation is atomic and durable (as far as the engine is) when it resolves. A driver decides no status: it is
 * handed whole records that the rules of `@agentlightning/core/lifecycle` made.
 */
export interface StoreDriver {
  readonly name: string;
  readonly capabilities: StoreCapabilities;

  /** Inserts all records or none; where a rollout id exists already, gives the stored record in its place. Results in input order. @throws store_full */
  insertRollouts(records: readonly RolloutRecord[]): Awaitable<readonly RolloutRecord[]>;
  readRollout(rolloutId: string): Awaitable<RecordLookup>;
  /**
   * Reads a record, lets `decide` make the next one, and stores that, as one atomic step; gives the record as it then
   * stands. `decide` gives `undefined` when nothing is to be written, and may be asked again when somebody was faster.
   * A next record of the same revision moved no status: only heartbeat, lease and deadline.
   */
  changeRollout(
    rolloutId: string,
    decide: (record: RolloutRecord) => RolloutRecord | undefined,
  ): Awaitable<RecordLookup>;
  /** Takes up to `limit` waiting records, lowest queue position first, and stores what `begin` makes of each, in one atomic step. */
  claimRollouts(limit: number, begin: (record: RolloutRecord) => RolloutRecord): Awaitable<readonly RolloutRecord[]>;
  /** Records that have an attempt made by this claim request. */
  findClaims(requestId: string): Awaitable<readonly RolloutRecord[]>;
  /** Records whose `nextDeadlineMs` is earlier than `nowMs`; costs what is due, not what is stored. */
  dueRollouts(nowMs: number, limit: number): Awaitable<readonly RolloutRecord[]>;
  /** The earliest `nextDeadlineMs` of all. */
  earliestDeadlineMs(): Awaitable<number | undefined>;

  /** Numbers and inserts the spans that are new by (rollout, attempt, span id), and stamps the heartbeats of their attempts; all batches or none. Gives the new ones, batch by batch, in input order. @throws store_full */
  appendSpans(batches: readonly SpanBatch[], nowMs: number): Awaitable<readonly Span[]>;
  /** Takes `count` numbers of the rollout's counter; gives the first. `undefined` for an unknown rollout. */
  reserveSequence(rolloutId: string, count: number): Awaitable<number | undefined>;

  queryRollouts(query: RolloutQuery): Awaitable<Page<RolloutRecord>>;
  querySpans(rolloutId: string, query: SpanQuery): Awaitable<Page<Span>>;

  /** Stores a version of resources as the latest, if the stored version is `expectedVersion` (0: none). */
  putResources(update: ResourcesUpdate, expectedVersion: number): Awaitable<boolean>;
  readResources(resourcesId: string): Awaitable<ResourcesUpdate | undefined>;
  latestResources(): Awaitable<ResourcesUpdate | undefined>;
  queryResources(query: ResourcesQuery): Awaitable<Page<ResourcesUpdate>>;

  /** Creates the worker (`unknown`) or patches it; gives it as stored. */
  patchWorker(workerId: string, patch: WorkerPatch): Awaitable<Worker>;
  readWorker(workerId: string): Awaitable<Worker | undefined>;
  queryWorkers(query: WorkerQuery): Awaitable<Page<Worker>>;

  counts(): Awaitable<DriverCounts>;
  /** Announces every change of a rollout's status after it was stored, in order. Gives back how to stop. */
  watch(listener: (change: DriverChange) => void): () => void;
  /** Keeps a rollout from retention until released: somebody has yet to be told of its end. */
  retain(rolloutId: string): () => void;
  close(): Awaitable<void>;
}
