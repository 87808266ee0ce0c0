import {
  type Attempt,
  type AttemptChanges,
  type AttemptedRollout,
  type AttemptReport,
  type AttemptSort,
  attemptStatuses,
  copyJson,
  copyJsonObject,
  createPage,
  type DequeueManyOptions,
  type DequeueOptions,
  InvalidInputError,
  type JsonCopyOptions,
  type JsonObject,
  LightningError,
  type LeaseOutcome,
  type LightningStore,
  type LostReason,
  type NamedResources,
  NotFoundError,
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
  rolloutModes,
  rolloutStatuses,
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
import {
  type AttemptEnd,
  beginAttempt,
  changeAttempt,
  changeRollout,
  endAttempt,
  holding,
  isRevivableByRenewal,
  latestAttempt,
  maxAttemptsPerRollout,
  presentAttempted,
  presentRollout,
  renew,
  reviveByRenewal,
  type RolloutRecord,
} from "@agentlightning/core/lifecycle";
import { ChangeFeed } from "./change-feed.ts";
import { ClaimDesk } from "./claim-desk.ts";
import type { StoreDriver } from "./driver.ts";
import { FinishWaits } from "./finish-waits.ts";
import { rolloutIdOfKey } from "./idempotency.ts";
import { checkPaging, selectPage } from "./select-page.ts";
import { attemptNotFound, SpanWriter } from "./span-writer.ts";
import { Sweeper } from "./sweeper.ts";
import { evictedError, Transitions } from "./transitions.ts";
import {
  checkId,
  checkNumber,
  checkOneOf,
  checkRequest,
  checkResources,
  defaultRolloutConfig,
  resolveRolloutConfig,
} from "./validate.ts";
import { WorkerBook } from "./worker-book.ts";

const rolloutSorts = ["rolloutId", "startTimeMs", "endTimeMs", "status", "mode", "resourcesId"];
const attemptSorts = [
  "sequenceId",
  "attemptId",
  "startTimeMs",
  "endTimeMs",
  "status",
  "workerId",
  "lastHeartbeatTimeMs",
];
const spanSorts = ["sequenceId", "spanId", "traceId", "parentId", "name", "startTimeMs", "endTimeMs"];
const workerSorts = [
  "workerId",
  "status",
  "lastHeartbeatTimeMs",
  "lastDequeueTimeMs",
  "lastBusyTimeMs",
  "lastIdleTimeMs",
];
const resourcesSorts = ["resourcesId", "createTimeMs", "updateTimeMs", "version"];

/** The LightningStore over a driver; see {@link LightningStore} for what each method promises. */
export class DriverStore implements LightningStore {
  readonly capabilities: StoreCapabilities;
  readonly #driver: StoreDriver;
  readonly #runtime: Runtime;
  readonly #copyOptions: JsonCopyOptions;
  readonly #workers: WorkerBook;
  readonly #transitions: Transitions;
  readonly #sweeper: Sweeper;
  readonly #feed: ChangeFeed;
  readonly #desk: ClaimDesk;
  readonly #finishes: FinishWaits;
  readonly #spans: SpanWriter;
  readonly #openedAtMs: number;
  #closing: Promise<void> | undefined;

  constructor(driver: StoreDriver, options: { readonly runtime: Runtime; readonly deepFreeze: boolean }) {
    const { runtime } = options;
    this.#driver = driver;
    this.#runtime = runtime;
    this.capabilities = driver.capabilities;
    this.#copyOptions = { deepFreeze: options.deepFreeze, maxBytes: driver.capabilities.maxInputBytes };
    this.#workers = new WorkerBook(driver);
    this.#transitions = new Transitions(driver, this.#workers, runtime);
    this.#sweeper = new Sweeper(driver, this.#transitions, runtime);
    this.#feed = new ChangeFeed(driver);
    this.#desk = new ClaimDesk({
      driver,
      transitions: this.#transitions,
      workers: this.#workers,
      sweeper: this.#sweeper,
      feed: this.#feed,
      runtime,
    });
    this.#finishes = new FinishWaits(driver, this.#feed, runtime);
    this.#spans = new SpanWriter(driver, this.#transitions, {
      deepFreeze: options.deepFreeze,
      maxBytes: driver.capabilities.maxSpanBytes,
    });
    this.#openedAtMs = runtime.clock.monotonicMs();
  }

  #requireOpen(): void {
    if (this.#closing !== undefined)
      throw new LightningError({ code: "closed", message: "this store handle was closed" });
  }

  /** The door of every call that reads or moves statuses. */
  async #enter(): Promise<void> {
    this.#requireOpen();
    await this.#sweeper.catchUp();
  }

  async #newRecord(request: RolloutRequest, latestResourcesId: string | undefined): Promise<RolloutRecord> {
    const checked = checkRequest(request, this.#copyOptions);
    const key = request.idempotencyKey;
    const resourcesId = checked.resourcesId ?? latestResourcesId;
    const rollout: Rollout = Object.freeze({
      rolloutId:
        key === undefined ? this.#runtime.ids.rolloutId() : await rolloutIdOfKey(checkId(key, "idempotencyKey")),
      input: checked.input,
      startTimeMs: this.#runtime.clock.nowMs(),
      ...(checked.mode === undefined ? {} : { mode: checked.mode }),
      ...(resourcesId === undefined ? {} : { resourcesId }),
      status: "queuing",
      config: checked.config,
      metadata: checked.metadata,
      lostAttempts: 0,
      ...(key === undefined ? {} : { idempotencyKey: key }),
    });
    return { rollout, attempts: [], revision: 0, spanCounter: 0 };
  }

  async startRollout(request: RolloutRequest & WorkOptions): Promise<AttemptedRollout> {
    await this.#enter();
    const latest = await this.#driver.latestResources();
    const fresh = await this.#newRecord(request, latest?.resourcesId);
    const workerId = request.workerId === undefined ? undefined : checkId(request.workerId, "workerId");
    const context = this.#transitions.context();
    const started = beginAttempt(fresh, { attemptId: this.#runtime.ids.attemptId(), workerId }, context);
    const [stored] = await this.#driver.insertRollouts([started.record]);
    if (stored === undefined) throw invariant("the driver inserted a rollout and gave nothing back");
    if (stored === started.record) await this.#workers.apply(started.workers, context.nowMs);
    await this.#sweeper.reset();
    return presentAttempted(stored);
  }

  async enqueueRollout(request: RolloutRequest): Promise<Rollout> {
    const [rollout] = await this.enqueueManyRollouts([request]);
    if (rollout === undefined) throw invariant("the driver inserted a rollout and gave nothing back");
    return rollout;
  }

  async enqueueManyRollouts(requests: readonly RolloutRequest[]): Promise<readonly Rollout[]> {
    await this.#enter();
    if (!Array.isArray(requests)) throw new InvalidInputError({ message: "rollout requests must be given as a list" });
    const latest = await this.#driver.latestResources();
    const { queuePosition } = this.#transitions.context();
    const records: RolloutRecord[] = [];
    for (const request of requests) {
      records.push({ ...(await this.#newRecord(request, latest?.resourcesId)), queuePosition: queuePosition("tail") });
    }
    if (records.length === 0) return [];
    return (await this.#driver.insertRollouts(records)).map(presentRollout);
  }

  async dequeueRollout(options: DequeueOptions = {}): Promise<AttemptedRollout | undefined> {
    return (await this.dequeueManyRollouts({ ...options, limit: 1 }))[0];
  }

  async dequeueManyRollouts(options: DequeueManyOptions = {}): Promise<readonly AttemptedRollout[]> {
    this.#requireOpen();
    const claimed = await this.#desk.claim(options);
    if (claimed.length === 0) this.#requireOpen();
    return claimed;
  }

  async startAttempt(rolloutId: string, options: WorkOptions = {}): Promise<AttemptedRollout> {
    await this.#enter();
    const requestId = options.idempotencyKey;
    const workerId = options.workerId === undefined ? undefined : checkId(options.workerId, "workerId");
    const record = await this.#transitions.apply(rolloutId, (current, context) => {
      if (requestId !== undefined && latestAttempt(current)?.requestId === requestId) return undefined;
      if (current.attempts.length >= maxAttemptsPerRollout) {
        throw new LightningError({
          code: "attempt_limit",
          message: `rollout ${rolloutId} has ${current.attempts.length} attempts already`,
          details: { rolloutId },
        });
      }
      return beginAttempt(current, { attemptId: this.#runtime.ids.attemptId(), workerId, requestId }, context);
    });
    await this.#sweeper.reset();
    return presentAttempted(record);
  }

  async updateRollout(rolloutId: string, changes: RolloutChanges): Promise<Rollout> {
    await this.#enter();
    const { input, mode, resourcesId, status, metadata } = changes;
    const fields = {
      ...(input === undefined ? {} : { input: copyJson(input, "input", this.#copyOptions).value }),
      ...(mode === undefined ? {} : { mode: mode === null ? undefined : checkOneOf(mode, rolloutModes, "mode") }),
      ...(resourcesId === undefined
        ? {}
        : { resourcesId: resourcesId === null ? undefined : checkId(resourcesId, "resourcesId") }),
      ...(status === undefined ? {} : { status: checkOneOf(status, rolloutStatuses, "status") }),
      ...(metadata === undefined
        ? {}
        : {
            metadata:
              metadata === null ? Object.freeze({}) : copyJsonObject(metadata, "metadata", { maxBytes: 65_536 }).value,
          }),
      ...(changes.config === undefined ? {} : { config: resolveRolloutConfig(changes.config, defaultRolloutConfig) }),
    };
    const record = await this.#transitions.apply(rolloutId, (current, context) =>
      Object.keys(fields).length === 0 ? undefined : changeRollout(current, fields, context),
    );
    await this.#sweeper.reset();
    return presentRollout(record);
  }

  async updateAttempt(rolloutId: string, attemptId: string, changes: AttemptChanges): Promise<Attempt> {
    await this.#enter();
    const { status, workerId, lastHeartbeatTimeMs, metadata } = changes;
    const checked: AttemptChanges = {
      ...(status === undefined ? {} : { status: checkOneOf(status, attemptStatuses, "status") }),
      ...(workerId === undefined ? {} : { workerId: checkId(workerId, "workerId") }),
      ...(lastHeartbeatTimeMs === undefined
        ? {}
        : { lastHeartbeatTimeMs: checkNumber(lastHeartbeatTimeMs, "lastHeartbeatTimeMs", 0, false) }),
      ...(metadata === undefined ? {} : { metadata: copyJsonObject(metadata, "metadata", { maxBytes: 65_536 }).value }),
    };
    let found = attemptId;
    const record = await this.#transitions.apply(rolloutId, (current, context) => {
      if (current.attempts.length === 0) {
        throw new NotFoundError({
          code: "attempt_not_found",
          message: `No attempts found for rollout ${rolloutId}`,
          details: { rolloutId },
        });
      }
      const attempt =
        attemptId === "latest"
          ? latestAttempt(current)
          : current.attempts.find((candidate) => candidate.attemptId === attemptId);
      if (attempt === undefined) throw attemptNotFound(rolloutId, attemptId);
      found = attempt.attemptId;
      return changeAttempt(current, attempt, checked, context);
    });
    await this.#sweeper.reset();
    return this.#attemptOf(record, found);
  }

  #attemptOf(record: RolloutRecord, attemptId: string): Attempt {
    const attempt = record.attempts.find((candidate) => candidate.attemptId === attemptId);
    if (attempt === undefined) throw invariant(`attempt ${attemptId} vanished while it was written`);
    return attempt;
  }

  async #end(rolloutId: string, attemptId: string, end: AttemptEnd): Promise<ReportOutcome> {
    await this.#enter();
    let lost: { readonly reason: LostReason; readonly attempt?: Attempt } | undefined;
    const record = await this.#transitions.apply(rolloutId, (current, context) => {
      const held = holding(current, attemptId);
      lost = undefined;
      if ("attempt" in held && !("lost" in held)) return endAttempt(current, held.attempt, end, context);
      if (!("lost" in held)) return undefined;
      lost = { reason: held.lost, ...(held.attempt === undefined ? {} : { attempt: held.attempt }) };
      if (held.attempt === undefined) throw attemptNotFound(rolloutId, attemptId);
      // A superseded attempt that still runs is ended on its own record; the rollout does not move.
      if (held.lost !== "superseded" || (held.attempt.status !== "preparing" && held.attempt.status !== "running"))
        return undefined;
      return endAttempt(current, held.attempt, end, context);
    });
    await this.#sweeper.reset();
    const attempt = this.#attemptOf(record, attemptId);
    if (lost === undefined) return { status: "applied", attempt };
    const repeated = lost.reason === "ended" && attempt.status === end.status && attempt.endReason === end.endReason;
    return repeated ? { status: "applied", attempt } : { status: "lost", reason: lost.reason, attempt };
  }

  async reportAttempt(rolloutId: string, attemptId: string, report: AttemptReport): Promise<ReportOutcome> {
    const status = checkOneOf(report.status, ["succeeded", "failed", "timeout", "unresponsive"] as const, "status");
    return this.#end(rolloutId, attemptId, { ...report, status });
  }

  async releaseAttempt(
    rolloutId: string,
    attemptId: string,
    options: { readonly reason?: string | undefined } = {},
  ): Promise<ReportOutcome> {
    return this.#end(rolloutId, attemptId, { status: "unresponsive", endReason: "released", error: options.reason });
  }

  async #stamp(
    rolloutId: string,
    attemptId: string,
    leaseMs: number | undefined,
  ): Promise<LeaseOutcome | { readonly status: "held" }> {
    await this.#enter();
    const record = await this.#driver.readRollout(rolloutId);
    if (record === undefined || record === "evicted") return { status: "lost", reason: "not_found" };
    const held = holding(record, attemptId);
    if ("lost" in held) {
      const { attempt } = held;
      if (attempt === undefined || leaseMs === undefined || !isRevivableByRenewal(record, attempt))
        return { status: "lost", reason: held.lost };
      return this.#revive(rolloutId, attemptId, leaseMs);
    }
    const nowMs = this.#runtime.clock.nowMs();
    await this.#driver.touchRollout(rolloutId, (current) => {
      const now = holding(current, attemptId);
      return "lost" in now ? current : renew(current, now.attempt, leaseMs, nowMs);
    });
    return leaseMs === undefined ? { status: "held" } : { status: "held", leaseExpiresAtMs: nowMs + leaseMs };
  }

  async #revive(rolloutId: string, attemptId: string, leaseMs: number): Promise<LeaseOutcome> {
    const record = await this.#transitions.apply(rolloutId, (current, context) => {
      const attempt = current.attempts.find((candidate) => candidate.attemptId === attemptId);
      return attempt !== undefined && isRevivableByRenewal(current, attempt)
        ? reviveByRenewal(current, attempt, leaseMs, context)
        : undefined;
    });
    await this.#sweeper.reset();
    const now = holding(record, attemptId);
    if ("lost" in now) return { status: "lost", reason: now.lost };
    return { status: "held", leaseExpiresAtMs: now.attempt.leaseExpiresAtMs ?? this.#runtime.clock.nowMs() + leaseMs };
  }

  async renewLease(rolloutId: string, attemptId: string, options: { readonly leaseMs: number }): Promise<LeaseOutcome> {
    const outcome = await this.#stamp(rolloutId, attemptId, checkNumber(options.leaseMs, "leaseMs", 1, false));
    if (outcome.status === "lost" || "leaseExpiresAtMs" in outcome) return outcome;
    throw invariant("a renewal gave no lease");
  }

  async heartbeatAttempt(rolloutId: string, attemptId: string): Promise<LeaseOutcome | { readonly status: "held" }> {
    return this.#stamp(rolloutId, attemptId, undefined);
  }

  async getRolloutById(rolloutId: string): Promise<Rollout | undefined> {
    await this.#enter();
    const record = await this.#driver.readRollout(rolloutId);
    if (record === "evicted") throw evictedError(rolloutId);
    return record === undefined ? undefined : presentRollout(record);
  }

  async queryRollouts(query: RolloutQuery = {}): Promise<Page<Rollout>> {
    await this.#enter();
    checkPaging(query, rolloutSorts);
    const page = await this.#driver.queryRollouts(query);
    return createPage(page.items.map(presentRollout), page.total, page.limit, page.offset);
  }

  async queryAttempts(rolloutId: string, query: PageQuery<AttemptSort> = {}): Promise<Page<Attempt>> {
    await this.#enter();
    checkPaging(query, attemptSorts);
    const record = await this.#driver.readRollout(rolloutId);
    if (record === "evicted") throw evictedError(rolloutId);
    const read = (attempt: Attempt, field: string) => attempt[field as AttemptSort];
    return selectPage(
      record?.attempts ?? [],
      { sortBy: "sequenceId", ...query },
      read,
      (a, b) => a.sequenceId - b.sequenceId,
    );
  }

  async getLatestAttempt(rolloutId: string): Promise<Attempt | undefined> {
    return (await this.getRolloutById(rolloutId))?.attempt;
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
    return (await this.addManySpans([span]))[0];
  }

  async addManySpans(spans: readonly SpanInput[]): Promise<readonly Span[]> {
    await this.#enter();
    const stored = await this.#spans.write(spans);
    await this.#sweeper.reset();
    return stored;
  }

  async getNextSpanSequenceId(rolloutId: string, attemptId: string): Promise<number> {
    const [first] = await this.getManySpanSequenceIds([[rolloutId, attemptId]]);
    if (first === undefined) throw invariant("no sequence number was given");
    return first;
  }

  async getManySpanSequenceIds(
    pairs: readonly (readonly [rolloutId: string, attemptId: string])[],
  ): Promise<readonly number[]> {
    this.#requireOpen();
    const counts = new Map<string, number>();
    for (const [rolloutId] of pairs) counts.set(rolloutId, (counts.get(rolloutId) ?? 0) + 1);
    for (const rolloutId of counts.keys()) await this.#transitions.require(rolloutId);
    const next = new Map<string, number>();
    for (const [rolloutId, count] of counts)
      next.set(rolloutId, (await this.#driver.reserveSequence(rolloutId, count)) ?? 1);
    return pairs.map(([rolloutId]) => {
      const number = next.get(rolloutId) ?? 1;
      next.set(rolloutId, number + 1);
      return number;
    });
  }

  async querySpans(rolloutId: string, query: SpanQuery = {}): Promise<Page<Span>> {
    await this.#enter();
    checkPaging(query, spanSorts);
    const record = await this.#driver.readRollout(rolloutId);
    if (record === "evicted") throw evictedError(rolloutId);
    const limit = query.limit ?? -1;
    if (record === undefined) return createPage([], 0, limit, query.offset ?? 0);
    if (query.attemptId !== "latest") return this.#driver.querySpans(rolloutId, query);
    const attemptId = latestAttempt(record)?.attemptId;
    return attemptId === undefined
      ? createPage([], 0, limit, query.offset ?? 0)
      : this.#driver.querySpans(rolloutId, { ...query, attemptId });
  }

  async addResources(resources: NamedResources): Promise<ResourcesUpdate> {
    this.#requireOpen();
    return this.#putResources(this.#runtime.ids.resourcesId(), checkResources(resources), 0);
  }

  async updateResources(
    resourcesId: string,
    resources: NamedResources,
    options: { readonly expectedVersion?: number | undefined } = {},
  ): Promise<ResourcesUpdate> {
    this.#requireOpen();
    return this.#putResources(checkId(resourcesId, "resourcesId"), checkResources(resources), options.expectedVersion);
  }

  async #putResources(
    resourcesId: string,
    resources: NamedResources,
    expectedVersion: number | undefined,
  ): Promise<ResourcesUpdate> {
    for (;;) {
      const current = await this.#driver.readResources(resourcesId);
      const version = current?.version ?? 0;
      if (expectedVersion !== undefined && expectedVersion !== version) {
        throw new LightningError({
          code: "conflict",
          message: `resources ${resourcesId} are at version ${version}, not ${expectedVersion}`,
          details: { resourcesId, version },
        });
      }
      const nowMs = this.#runtime.clock.nowMs();
      const update = Object.freeze({
        resourcesId,
        createTimeMs: current?.createTimeMs ?? nowMs,
        updateTimeMs: nowMs,
        version: version + 1,
        resources,
      });
      if (await this.#driver.putResources(update, version)) return update;
    }
  }

  async getResourcesById(resourcesId: string): Promise<ResourcesUpdate | undefined> {
    this.#requireOpen();
    return this.#driver.readResources(resourcesId);
  }

  async getLatestResources(): Promise<ResourcesUpdate | undefined> {
    this.#requireOpen();
    return this.#driver.latestResources();
  }

  async queryResources(query: ResourcesQuery = {}): Promise<Page<ResourcesUpdate>> {
    this.#requireOpen();
    checkPaging(query, resourcesSorts);
    return this.#driver.queryResources(query);
  }

  async updateWorker(
    workerId: string,
    options: { readonly heartbeatStats?: JsonObject | undefined } = {},
  ): Promise<Worker> {
    this.#requireOpen();
    const stats = options.heartbeatStats;
    return this.#driver.patchWorker(checkId(workerId, "workerId"), {
      set: {
        lastHeartbeatTimeMs: this.#runtime.clock.nowMs(),
        ...(stats === undefined
          ? {}
          : { heartbeatStats: copyJsonObject(stats, "heartbeatStats", { maxBytes: 65_536 }).value }),
      },
    });
  }

  async getWorkerById(workerId: string): Promise<Worker | undefined> {
    this.#requireOpen();
    return this.#driver.readWorker(workerId);
  }

  async queryWorkers(query: WorkerQuery = {}): Promise<Page<Worker>> {
    await this.#enter();
    checkPaging(query, workerSorts);
    return this.#driver.queryWorkers(query);
  }

  async statistics(): Promise<StoreStatistics> {
    this.#requireOpen();
    const counts = await this.#driver.counts();
    return {
      name: this.#driver.name,
      totalRollouts: counts.rollouts,
      totalAttempts: counts.attempts,
      totalSpans: counts.spans,
      totalResources: counts.resources,
      totalWorkers: counts.workers,
      queuedRollouts: counts.queued,
      uptimeMs: this.#runtime.clock.monotonicMs() - this.#openedAtMs,
      ...(counts.spanBytes === undefined ? {} : { totalSpanBytes: counts.spanBytes }),
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    this.#sweeper.close();
    this.#desk.close();
    this.#finishes.close();
    this.#feed.close();
    await this.#driver.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function invariant(message: string): LightningError {
  return new LightningError({ code: "invariant", message });
}
