import {
  type Attempt,
  type AttemptChanges,
  type AttemptedRollout,
  type AttemptReport,
  type AttemptSort,
  type DequeueManyOptions,
  type DequeueOptions,
  type JsonObject,
  type LeaseOutcome,
  LightningError,
  type LightningStore,
  type NamedResources,
  type Page,
  type PageQuery,
  type ReportOutcome,
  type ResourcesQuery,
  type ResourcesUpdate,
  type Rollout,
  type RolloutChanges,
  type RolloutEvent,
  type RolloutQuery,
  type RolloutRequest,
  type Runtime,
  type Span,
  type SpanInput,
  type SpanQuery,
  type StoreCapabilities,
  type StoreStatistics,
  type WaitOptions,
  type WatchOptions,
  type Worker,
  type WorkerQuery,
  type WorkOptions,
} from "@agentlightning/core";
import { changeRollout, presentRollout } from "@agentlightning/core/lifecycle";
import { AttemptDesk, requireRoom } from "./attempt-desk.ts";
import { type Awaitable, chain } from "./awaitable.ts";
import { ChangeFeed } from "./change-feed.ts";
import { checkMetadata, checkRolloutChanges } from "./check-changes.ts";
import { checkResourcesQuery, checkWorkerQuery } from "./check-query.ts";
import { ClaimDesk } from "./claim-desk.ts";
import type { StoreDriver } from "./driver.ts";
import { FinishWaits } from "./finish-waits.ts";
import { Intake } from "./intake.ts";
import type { StoreParts } from "./parts.ts";
import { Reader } from "./reader.ts";
import { ResourcesBook } from "./resources-book.ts";
import { Retention } from "./retention.ts";
import type { RetentionOptions } from "./retention-options.ts";
import { SpanWriter } from "./span-writer.ts";
import { describeCounts } from "./statistics.ts";
import { Sweeper } from "./sweeper.ts";
import { Transitions } from "./transitions.ts";
import { checkId, checkObject, checkOptionalText, checkText } from "./validate.ts";
import { heartbeatPatch } from "./worker-writes.ts";

interface Options {
  readonly runtime: Runtime;
  readonly deepFreeze: boolean;
  readonly retention: RetentionOptions | undefined;
}

/** The LightningStore over a driver; see {@link LightningStore} for what each method promises. */
export class DriverStore implements LightningStore {
  readonly capabilities: StoreCapabilities;
  readonly #parts: StoreParts;
  readonly #feed: ChangeFeed;
  readonly #intake: Intake;
  readonly #claims: ClaimDesk;
  readonly #attempts: AttemptDesk;
  readonly #finishes: FinishWaits;
  readonly #spans: SpanWriter;
  readonly #reader: Reader;
  readonly #resources: ResourcesBook;
  readonly #openedAtMs: number;
  #closing: Promise<void> | undefined;

  constructor(driver: StoreDriver, options: Options) {
    const { runtime, deepFreeze } = options;
    const { maxInputBytes, maxSpanBytes } = driver.capabilities;
    this.capabilities = driver.capabilities;
    const retention = new Retention(driver, options.retention, runtime);
    const transitions = new Transitions(driver, retention, runtime);
    const sweeper = new Sweeper(driver, transitions, runtime);
    const copyOptions = { deepFreeze, maxBytes: maxInputBytes };
    this.#parts = { driver, transitions, retention, sweeper, runtime, copyOptions };
    this.#feed = new ChangeFeed(driver, retention);
    this.#intake = new Intake(this.#parts);
    this.#claims = new ClaimDesk(this.#parts, this.#feed);
    this.#attempts = new AttemptDesk(this.#parts);
    this.#finishes = new FinishWaits(driver, this.#feed, retention, runtime);
    this.#spans = new SpanWriter(driver, transitions, retention, { deepFreeze, maxBytes: maxSpanBytes });
    this.#reader = new Reader(driver, retention);
    this.#resources = new ResourcesBook(this.#parts);
    this.#openedAtMs = runtime.clock.monotonicMs();
  }

  #requireOpen(): void {
    if (this.#closing === undefined) return;
    throw new LightningError({ code: "closed", message: "this store handle was closed" });
  }

  /** The door of every call that reads or moves statuses. */
  #enter(): Awaitable<void> {
    this.#requireOpen();
    const { sweeper, retention } = this.#parts;
    const pruned = retention.prune();
    return pruned instanceof Promise ? pruned.then(() => sweeper.catchUp()) : sweeper.catchUp();
  }

  /** A call that may bring a deadline: deadlines are applied before, and the timer seen to after it. */
  #within<T>(work: () => Awaitable<T>): Awaitable<T> {
    return chain(this.#enter(), () => chain(work(), (result) => chain(this.#parts.sweeper.reset(), () => result)));
  }

  async startRollout(request: RolloutRequest & WorkOptions): Promise<AttemptedRollout> {
    await this.#enter();
    return this.#intake.start(request);
  }

  async enqueueRollout(request: RolloutRequest): Promise<Rollout> {
    return chain(this.#enter(), () =>
      chain(this.#intake.enqueue([request]), ([rollout]) => {
        if (rollout !== undefined) return rollout;
        throw new LightningError({ code: "invariant", message: "the driver inserted a rollout and gave nothing back" });
      }),
    );
  }

  async enqueueManyRollouts(requests: readonly RolloutRequest[]): Promise<readonly Rollout[]> {
    return chain(this.#enter(), () => this.#intake.enqueue(requests));
  }

  async dequeueRollout(options: DequeueOptions = {}): Promise<AttemptedRollout | undefined> {
    this.#requireOpen();
    return chain(this.#claims.claim({ ...checkObject(options, "options"), limit: 1 }), ([first]) => first);
  }

  async dequeueManyRollouts(options: DequeueManyOptions = {}): Promise<readonly AttemptedRollout[]> {
    this.#requireOpen();
    return this.#claims.claim(options);
  }

  async startAttempt(rolloutId: string, options: WorkOptions = {}): Promise<AttemptedRollout> {
    return this.#within(() => this.#attempts.start(rolloutId, options));
  }

  async updateRollout(rolloutId: string, changes: RolloutChanges): Promise<Rollout> {
    await this.#enter();
    const { transitions, sweeper, copyOptions } = this.#parts;
    const fields = checkRolloutChanges(changes, copyOptions);
    const isEmpty = Object.keys(fields).length === 0;
    const record = await transitions.apply(rolloutId, (current, context) => {
      if (isEmpty) return undefined;
      if (fields.status === "queuing" || fields.status === "requeuing") requireRoom(current);
      return changeRollout(current, fields, context);
    });
    await sweeper.reset();
    return presentRollout(record);
  }

  async updateAttempt(rolloutId: string, attemptId: string, changes: AttemptChanges): Promise<Attempt> {
    return this.#within(() => this.#attempts.update(rolloutId, attemptId, changes));
  }

  async reportAttempt(rolloutId: string, attemptId: string, report: AttemptReport): Promise<ReportOutcome> {
    return this.#within(() => this.#attempts.report(rolloutId, attemptId, report));
  }

  async releaseAttempt(
    rolloutId: string,
    attemptId: string,
    options: { readonly reason?: string | undefined } = {},
  ): Promise<ReportOutcome> {
    return this.#within(() =>
      this.#attempts.release(rolloutId, attemptId, checkOptionalText(checkObject(options, "options").reason, "reason")),
    );
  }

  async renewLease(rolloutId: string, attemptId: string, options: { readonly leaseMs: number }): Promise<LeaseOutcome> {
    return this.#within(() => this.#attempts.renew(rolloutId, attemptId, checkObject(options, "options").leaseMs));
  }

  async heartbeatAttempt(rolloutId: string, attemptId: string): Promise<LeaseOutcome | { readonly status: "held" }> {
    return this.#within(() => this.#attempts.heartbeat(rolloutId, attemptId));
  }

  async getRolloutById(rolloutId: string): Promise<Rollout | undefined> {
    return chain(this.#enter(), () => this.#reader.rollout(rolloutId));
  }

  async queryRollouts(query: RolloutQuery = {}): Promise<Page<Rollout>> {
    await this.#enter();
    return this.#reader.rollouts(query);
  }

  async queryAttempts(rolloutId: string, query: PageQuery<AttemptSort> = {}): Promise<Page<Attempt>> {
    await this.#enter();
    return this.#reader.attempts(rolloutId, query);
  }

  async getLatestAttempt(rolloutId: string): Promise<Attempt | undefined> {
    await this.#enter();
    return (await this.#reader.rollout(rolloutId))?.attempt;
  }

  async waitForRollouts(rolloutIds: readonly string[], options: WaitOptions = {}): Promise<readonly Rollout[]> {
    await this.#enter();
    return this.#finishes.wait(rolloutIds, options);
  }

  watchRollouts(options: WatchOptions = {}): AsyncIterable<RolloutEvent> {
    this.#requireOpen();
    return this.#feed.watch(options);
  }

  async addSpan(span: SpanInput): Promise<Span | undefined> {
    return this.#within(() => this.#spans.writeOne(span));
  }

  async addManySpans(spans: readonly SpanInput[]): Promise<readonly Span[]> {
    return this.#within(() => this.#spans.write(spans));
  }

  async getNextSpanSequenceId(rolloutId: string, attemptId: string): Promise<number> {
    const [first] = await this.getManySpanSequenceIds([[rolloutId, attemptId]]);
    if (first !== undefined) return first;
    throw new LightningError({ code: "invariant", message: "no sequence number was given" });
  }

  async getManySpanSequenceIds(
    pairs: readonly (readonly [rolloutId: string, attemptId: string])[],
  ): Promise<readonly number[]> {
    this.#requireOpen();
    return this.#spans.reserve(pairs);
  }

  async querySpans(rolloutId: string, query: SpanQuery = {}): Promise<Page<Span>> {
    return chain(this.#enter(), () => this.#reader.spans(rolloutId, query));
  }

  async addResources(
    resources: NamedResources,
    options: { readonly idempotencyKey?: string | undefined } = {},
  ): Promise<ResourcesUpdate> {
    this.#requireOpen();
    return this.#resources.add(resources, checkObject(options, "options").idempotencyKey);
  }

  async updateResources(
    resourcesId: string,
    resources: NamedResources,
    options: { readonly expectedVersion?: number | undefined; readonly idempotencyKey?: string | undefined } = {},
  ): Promise<ResourcesUpdate> {
    this.#requireOpen();
    return this.#resources.put(resourcesId, resources, options);
  }

  async getResourcesById(resourcesId: string): Promise<ResourcesUpdate | undefined> {
    this.#requireOpen();
    return this.#parts.driver.readResources(checkText(resourcesId, "resourcesId"));
  }

  async getLatestResources(): Promise<ResourcesUpdate | undefined> {
    this.#requireOpen();
    return this.#parts.driver.latestResources();
  }

  async queryResources(query: ResourcesQuery = {}): Promise<Page<ResourcesUpdate>> {
    this.#requireOpen();
    checkResourcesQuery(query);
    return this.#parts.driver.queryResources(query);
  }

  async updateWorker(
    workerId: string,
    options: { readonly heartbeatStats?: JsonObject | undefined } = {},
  ): Promise<Worker> {
    this.#requireOpen();
    const { driver, runtime, copyOptions } = this.#parts;
    const { heartbeatStats } = checkObject(options, "options");
    const stats =
      heartbeatStats === undefined ? undefined : checkMetadata(heartbeatStats, "heartbeatStats", copyOptions);
    const patch = heartbeatPatch(stats, runtime.clock.nowMs());
    return driver.patchWorker(checkId(workerId, "workerId"), () => patch);
  }

  async getWorkerById(workerId: string): Promise<Worker | undefined> {
    this.#requireOpen();
    return this.#parts.driver.readWorker(checkText(workerId, "workerId"));
  }

  async queryWorkers(query: WorkerQuery = {}): Promise<Page<Worker>> {
    await this.#enter();
    checkWorkerQuery(query);
    return this.#parts.driver.queryWorkers(query);
  }

  async statistics(): Promise<StoreStatistics> {
    await this.#enter();
    const { driver, runtime } = this.#parts;
    return describeCounts(driver.name, await driver.counts(), runtime.clock.monotonicMs() - this.#openedAtMs);
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    this.#parts.sweeper.close();
    this.#claims.close();
    this.#finishes.close();
    this.#feed.close();
    await this.#parts.retention.settle();
    await this.#parts.driver.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
