import {
  createPage,
  LightningError,
  type ResourcesUpdate,
  type Runtime,
  type Span,
  type StoreCapabilities,
  type Worker,
} from "@agentlightning/core";
import { isQueuedStatus, latestAttempt, renew, type RolloutRecord } from "@agentlightning/core/lifecycle";
import { compareValues, type DriverChange, selectPage, type StoreDriver } from "@agentlightning/store-kit";
import { DeadlineIndex } from "./deadline-index.ts";
import { rolloutFilter, spanFilter, workerFilter } from "./filters.ts";
import type { MemoryBounds } from "./options.ts";
import { Retention } from "./retention.ts";
import { SpanShelf } from "./span-shelf.ts";
import { WorkQueue } from "./work-queue.ts";

/** Everything in maps of this process. Each operation runs in one turn, which makes it atomic. */
export function createMemoryDriver(bounds: MemoryBounds, runtime: Runtime): StoreDriver {
  const records = new Map<string, RolloutRecord>();
  const shelves = new Map<string, SpanShelf>();
  const claims = new Map<string, Set<string>>();
  const resources = new Map<string, ResourcesUpdate>();
  const workers = new Map<string, Worker>();
  const listeners = new Set<(change: DriverChange) => void>();
  const queue = new WorkQueue();
  const deadlines = new DeadlineIndex();
  const retention = new Retention(bounds);
  const totals = { attempts: 0, spans: 0, queued: 0, spanBytes: 0 };
  let latestResourcesId: string | undefined;

  const capabilities: StoreCapabilities = Object.freeze({
    durable: false,
    multiProcess: false,
    watch: true,
    timeResolutionMs: 0.001,
    maxInputBytes: bounds.maxInputBytes,
    maxSpanBytes: bounds.maxSpanBytes,
  });

  const drop = (rolloutId: string): void => {
    const record = records.get(rolloutId);
    const shelf = shelves.get(rolloutId);
    records.delete(rolloutId);
    shelves.delete(rolloutId);
    totals.attempts -= record?.attempts.length ?? 0;
    totals.spans -= shelf?.size ?? 0;
    totals.spanBytes -= shelf?.bytes ?? 0;
    for (const attempt of record?.attempts ?? []) forgetClaim(attempt.requestId, rolloutId);
    retention.forget(rolloutId);
  };

  const forgetClaim = (requestId: string | undefined, rolloutId: string): void => {
    if (requestId === undefined) return;
    const made = claims.get(requestId);
    made?.delete(rolloutId);
    if (made?.size === 0) claims.delete(requestId);
  };

  const noteClaim = (record: RolloutRecord): void => {
    const requestId = latestAttempt(record)?.requestId;
    if (requestId === undefined) return;
    const made = claims.get(requestId) ?? new Set<string>();
    made.add(record.rollout.rolloutId);
    claims.set(requestId, made);
  };

  /** Stores a record and keeps every index true; announces a status that moved. */
  const store = (record: RolloutRecord, previous: RolloutRecord | undefined): void => {
    const { rolloutId, status } = record.rollout;
    records.set(rolloutId, record);
    totals.attempts += record.attempts.length - (previous?.attempts.length ?? 0);
    totals.queued += Number(record.queuePosition !== undefined) - Number(previous?.queuePosition !== undefined);
    if (record.queuePosition !== undefined && record.queuePosition !== previous?.queuePosition) queue.add(record);
    if (record.nextDeadlineMs !== undefined) deadlines.note(rolloutId, record.nextDeadlineMs);
    if (record.rollout.endTimeMs !== previous?.rollout.endTimeMs) retention.note(rolloutId, record.rollout.endTimeMs);
    const attempt = latestAttempt(record);
    const before = previous === undefined ? undefined : latestAttempt(previous);
    if (attempt !== undefined && attempt.attemptId !== before?.attemptId) {
      forgetClaim(before?.requestId, rolloutId);
      noteClaim(record);
    }
    if (status === previous?.rollout.status && attempt?.attemptId === before?.attemptId) return;
    const change: DriverChange = {
      rolloutId,
      status,
      ...(attempt === undefined ? {} : { attemptId: attempt.attemptId }),
      queued: isQueuedStatus(status),
    };
    for (const listener of listeners) listener(change);
    if (record.rollout.endTimeMs !== undefined)
      for (const excess of [...retention.excess(runtime.clock.nowMs())]) drop(excess);
  };

  const makeRoom = (bytes: number): void => {
    if (totals.spanBytes + bytes <= bounds.maxTotalSpanBytes) return;
    for (const rolloutId of [...retention.droppable()]) {
      drop(rolloutId);
      if (totals.spanBytes + bytes <= bounds.maxTotalSpanBytes) return;
    }
    throw new LightningError({
      code: "store_full",
      message: `${totals.spanBytes} bytes of spans belong to rollouts that have not finished; the bound is ${bounds.maxTotalSpanBytes}`,
    });
  };

  return {
    name: "memory",
    capabilities,

    insertRollouts(fresh) {
      return fresh.map((record) => {
        const existing = records.get(record.rollout.rolloutId);
        if (existing !== undefined) return existing;
        store(record, undefined);
        return record;
      });
    },
    readRollout(rolloutId) {
      return records.get(rolloutId) ?? (retention.wasDropped(rolloutId) ? "evicted" : undefined);
    },
    replaceRollout(next, expectedRevision, expectedDeadlineMs) {
      const current = records.get(next.rollout.rolloutId);
      if (current === undefined || current.revision !== expectedRevision) return false;
      if (expectedDeadlineMs !== undefined && current.nextDeadlineMs !== expectedDeadlineMs) return false;
      store(current.spanCounter === next.spanCounter ? next : { ...next, spanCounter: current.spanCounter }, current);
      return true;
    },
    claimRollouts(limit, begin) {
      const claimed: RolloutRecord[] = [];
      while (claimed.length < limit) {
        const record = queue.take((rolloutId) => records.get(rolloutId));
        if (record === undefined) break;
        const next = begin(record);
        store(next, record);
        claimed.push(next);
      }
      return claimed;
    },
    findClaims(requestId) {
      return [...(claims.get(requestId) ?? [])].flatMap((rolloutId) => records.get(rolloutId) ?? []);
    },
    touchRollout(rolloutId, change) {
      const record = records.get(rolloutId);
      if (record === undefined) return;
      const next = change(record);
      if (next !== record) store(next, record);
    },
    dueRollouts(nowMs, limit) {
      const due: RolloutRecord[] = [];
      while (due.length < limit) {
        const first = deadlines.earliest((rolloutId) => records.get(rolloutId)?.nextDeadlineMs);
        if (first === undefined || first.deadlineMs >= nowMs) break;
        deadlines.removeTop();
        const record = records.get(first.rolloutId);
        if (record !== undefined) due.push(record);
      }
      // What is due stays due until a write says otherwise.
      for (const record of due)
        if (record.nextDeadlineMs !== undefined) deadlines.note(record.rollout.rolloutId, record.nextDeadlineMs);
      return due;
    },
    earliestDeadlineMs() {
      return deadlines.earliest((rolloutId) => records.get(rolloutId)?.nextDeadlineMs)?.deadlineMs;
    },

    appendSpans(rolloutId, attemptId, drafts, nowMs) {
      const record = records.get(rolloutId);
      if (record === undefined) return [];
      const shelf = shelves.get(rolloutId) ?? new SpanShelf();
      const fresh = shelf.fresh(drafts);
      if (fresh.length === 0) return [];
      makeRoom(fresh.reduce((sum, { bytes }) => sum + bytes, 0));
      let counter = record.spanCounter;
      const stored = fresh.map(({ span, bytes }): Span => {
        const sequenceId = span.sequenceId ?? counter + 1;
        counter = Math.max(counter, sequenceId);
        const numbered = Object.freeze({ ...span, sequenceId });
        shelf.add(numbered, bytes);
        totals.spanBytes += bytes;
        return numbered;
      });
      totals.spans += stored.length;
      shelves.set(rolloutId, shelf);
      const attempt = record.attempts.find((candidate) => candidate.attemptId === attemptId);
      const stamped = attempt === undefined ? record : renew(record, attempt, undefined, nowMs);
      const next = { ...stamped, spanCounter: counter };
      records.set(rolloutId, next);
      if (next.nextDeadlineMs !== undefined) deadlines.note(rolloutId, next.nextDeadlineMs);
      return stored;
    },
    reserveSequence(rolloutId, count) {
      const record = records.get(rolloutId);
      if (record === undefined) return undefined;
      records.set(rolloutId, { ...record, spanCounter: record.spanCounter + count });
      return record.spanCounter + 1;
    },

    queryRollouts(query) {
      const source =
        query.rolloutIdIn !== undefined && query.filterLogic !== "or" ? lookUp(query.rolloutIdIn) : records.values();
      const matches = [...source].filter(rolloutFilter(query));
      return selectPage(
        matches,
        query,
        (record, field) => record.rollout[field as "status"],
        (a, b) => compareValues(a.rollout.rolloutId, b.rollout.rolloutId),
      );
    },
    querySpans(rolloutId, query) {
      const matches = (shelves.get(rolloutId)?.spans ?? []).filter(spanFilter(query));
      if (matches.length === 0) return createPage([], 0, query.limit ?? -1, query.offset ?? 0);
      return selectPage(
        matches,
        { sortBy: "sequenceId", ...query },
        (span, field) => span[field as "name"],
        compareSpans,
      );
    },

    putResources(update, expectedVersion) {
      if ((resources.get(update.resourcesId)?.version ?? 0) !== expectedVersion) return false;
      resources.set(update.resourcesId, update);
      latestResourcesId = update.resourcesId;
      return true;
    },
    readResources: (resourcesId) => resources.get(resourcesId),
    latestResources: () => (latestResourcesId === undefined ? undefined : resources.get(latestResourcesId)),
    queryResources(query) {
      const { resourcesId, resourcesIdContains } = query;
      const matches = [...resources.values()].filter(
        (update) =>
          (resourcesId === undefined || update.resourcesId === resourcesId) &&
          (resourcesIdContains === undefined || update.resourcesId.includes(resourcesIdContains)),
      );
      return selectPage(
        matches,
        query,
        (update, field) => update[field as "version"],
        (a, b) => compareValues(a.resourcesId, b.resourcesId),
      );
    },

    patchWorker(workerId, patch) {
      const current: Worker = workers.get(workerId) ?? { workerId, status: "unknown" };
      if (patch.onlyIfAttemptId !== undefined && current.currentAttemptId !== patch.onlyIfAttemptId) return current;
      const next = { ...current, ...patch.set };
      for (const key of patch.clear ?? []) delete next[key];
      workers.set(workerId, Object.freeze(next));
      return next;
    },
    readWorker: (workerId) => workers.get(workerId),
    queryWorkers(query) {
      const matches = [...workers.values()].filter(workerFilter(query));
      return selectPage(
        matches,
        query,
        (worker, field) => worker[field as "status"],
        (a, b) => compareValues(a.workerId, b.workerId),
      );
    },

    counts: () => ({
      rollouts: records.size,
      attempts: totals.attempts,
      spans: totals.spans,
      resources: resources.size,
      workers: workers.size,
      queued: totals.queued,
      spanBytes: totals.spanBytes,
    }),
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    retain: (rolloutId) => retention.hold(rolloutId),
    close: () => undefined,
  };

  function* lookUp(rolloutIds: readonly string[]): Generator<RolloutRecord> {
    for (const rolloutId of new Set(rolloutIds)) {
      const record = records.get(rolloutId);
      if (record !== undefined) yield record;
    }
  }
}

/** Ties of a span query: start, end, id. */
function compareSpans(a: Span, b: Span): number {
  return (
    compareValues(a.startTimeMs, b.startTimeMs) ||
    compareValues(a.endTimeMs, b.endTimeMs) ||
    compareValues(a.spanId, b.spanId)
  );
}
