import {
  createPage,
  type ResourcesUpdate,
  type Runtime,
  type Span,
  type StoreCapabilities,
  type Worker,
} from "@agentlightning/core";
import { findAttempt, renew, type RolloutRecord } from "@agentlightning/core/lifecycle";
import { compareValues, selectPage, type SpanBatch, type StoreDriver } from "@agentlightning/store-kit";
import { resourcesFilter, rolloutFilter, spanFilter, workerFilter } from "./filters.ts";
import type { MemoryBounds } from "./options.ts";
import { RecordTable } from "./record-table.ts";
import { SpanShelves } from "./span-shelf.ts";

/** Everything in maps of this process. Each operation runs in one turn, which makes it atomic. */
export function createMemoryDriver(bounds: MemoryBounds, runtime: Runtime): StoreDriver {
  const shelves = new SpanShelves();
  const table = new RecordTable(bounds, runtime, shelves);
  const resources = new Map<string, ResourcesUpdate>();
  const workers = new Map<string, Worker>();
  let latestResourcesId: string | undefined;

  const capabilities: StoreCapabilities = Object.freeze({
    durable: false,
    multiProcess: false,
    watch: true,
    timeResolutionMs: 0.001,
    maxInputBytes: bounds.maxInputBytes,
    maxSpanBytes: bounds.maxSpanBytes,
  });
  const read = (rolloutId: string): RolloutRecord | "evicted" | undefined =>
    table.get(rolloutId) ?? (table.retention.wasDropped(rolloutId) ? "evicted" : undefined);

  return {
    name: "memory",
    capabilities,

    insertRollouts(fresh) {
      table.prune();
      return fresh.map((record) => {
        const existing = table.get(record.rollout.rolloutId);
        if (existing === undefined) table.put(record);
        return existing ?? record;
      });
    },
    readRollout(rolloutId) {
      table.prune();
      return read(rolloutId);
    },
    changeRollout(rolloutId, decide) {
      const current = read(rolloutId);
      if (current === undefined || current === "evicted") return current;
      const next = decide(current);
      if (next === undefined) return current;
      table.put(next);
      return next;
    },
    claimRollouts(limit, begin) {
      const claimed: RolloutRecord[] = [];
      while (claimed.length < limit) {
        const record = table.queue.take();
        if (record === undefined) break;
        const next = begin(record);
        table.put(next);
        claimed.push(next);
      }
      return claimed;
    },
    findClaims: (requestId) => table.claimedBy(requestId),
    dueRollouts(nowMs, limit) {
      const due: RolloutRecord[] = [];
      while (due.length < limit) {
        const first = table.deadlines.earliest();
        if (first === undefined || first.deadlineMs >= nowMs) break;
        table.deadlines.removeTop();
        const record = table.get(first.rolloutId);
        if (record !== undefined) due.push(record);
      }
      // What is due stays due until a write says otherwise.
      for (const { rollout, nextDeadlineMs } of due) table.deadlines.note(rollout.rolloutId, nextDeadlineMs);
      return due;
    },
    earliestDeadlineMs: () => table.deadlines.earliest()?.deadlineMs,

    appendSpans(batches, nowMs) {
      const fresh = shelves.fresh(batches).filter(({ drafts }) => drafts.length > 0);
      makeRoom(fresh);
      const stored: Span[] = [];
      for (const batch of fresh) {
        const record = table.get(batch.rolloutId);
        if (record === undefined) continue;
        const { spans, counter } = shelves.add(batch, record.spanCounter);
        let next: RolloutRecord = { ...record, spanCounter: counter };
        let lastId: string | undefined;
        for (const { attemptId } of spans) {
          const attempt = attemptId === lastId ? undefined : findAttempt(next, attemptId);
          if (attempt !== undefined) next = renew(next, attempt, undefined, nowMs);
          lastId = attemptId;
        }
        table.put(next);
        for (const span of spans) stored.push(span);
      }
      return stored;
    },
    reserveSequence(rolloutId, count) {
      const record = table.get(rolloutId);
      if (record === undefined) return undefined;
      table.put({ ...record, spanCounter: record.spanCounter + count });
      return record.spanCounter + 1;
    },

    queryRollouts(query) {
      table.prune();
      const { rolloutIdIn, filterLogic } = query;
      const source = rolloutIdIn !== undefined && filterLogic !== "or" ? lookUp(rolloutIdIn) : table.values();
      return selectPage(
        [...source].filter(rolloutFilter(query)),
        query,
        (record, field) => record.rollout[field as "status"],
        (a, b) => compareValues(a.rollout.rolloutId, b.rollout.rolloutId),
      );
    },
    querySpans(rolloutId, query) {
      const matches = shelves.spansOf(rolloutId).filter(spanFilter(query));
      if (matches.length === 0) return createPage([], 0, query.limit ?? -1, query.offset ?? 0);
      const sortBy = query.sortBy ?? "sequenceId";
      return selectPage(matches, { ...query, sortBy }, (span, field) => span[field as "name"], compareSpans);
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
      return selectPage(
        [...resources.values()].filter(resourcesFilter(query)),
        query,
        (update, field) => update[field as "version"],
        (a, b) => compareValues(a.resourcesId, b.resourcesId),
      );
    },

    patchWorker(workerId, patch) {
      const current: Worker = workers.get(workerId) ?? Object.freeze({ workerId, status: "unknown" });
      if (patch.onlyIfAttemptId !== undefined && current.currentAttemptId !== patch.onlyIfAttemptId) return current;
      const next = Object.freeze({
        ...(patch.clearCurrent === true ? withoutCurrent(current) : current),
        ...patch.set,
      });
      workers.set(workerId, next);
      return next;
    },
    readWorker: (workerId) => workers.get(workerId),
    queryWorkers(query) {
      return selectPage(
        [...workers.values()].filter(workerFilter(query)),
        query,
        (worker, field) => worker[field as "status"],
        (a, b) => compareValues(a.workerId, b.workerId),
      );
    },

    counts: () => ({
      rollouts: table.size,
      attempts: table.attemptCount,
      spans: shelves.spanCount,
      resources: resources.size,
      workers: workers.size,
      queued: table.queuedCount,
      spanBytes: shelves.bytes,
    }),
    watch: (listener) => table.listen(listener),
    retain: (rolloutId) => table.retention.hold(rolloutId),
    close: () => undefined,
  };

  function makeRoom(fresh: readonly SpanBatch[]): void {
    if (bounds.maxTotalSpanBytes === Number.POSITIVE_INFINITY) return;
    let bytes = 0;
    for (const { drafts } of fresh) for (const draft of drafts) bytes += draft.bytes;
    const written = new Set(fresh.map(({ rolloutId }) => rolloutId));
    shelves.makeRoom(bytes, bounds.maxTotalSpanBytes, droppableBut(written), (rolloutId) => table.drop(rolloutId));
  }

  /** Finished rollouts that may go; not those that are being written to. */
  function* droppableBut(written: ReadonlySet<string>): Generator<string> {
    for (const rolloutId of table.retention.droppable()) if (!written.has(rolloutId)) yield rolloutId;
  }

  function* lookUp(rolloutIds: readonly string[]): Generator<RolloutRecord> {
    for (const rolloutId of new Set(rolloutIds)) {
      const record = table.get(rolloutId);
      if (record !== undefined) yield record;
    }
  }
}

/** Ties of a span query: start, end, id. */
function compareSpans(a: Span, b: Span): number {
  return (
    compareValues(a.startTimeMs, b.startTimeMs) ||
    compareValues(a.endTimeMs, b.endTimeMs) ||
    compareValues(a.spanId, b.spanId) ||
    compareValues(a.attemptId, b.attemptId)
  );
}

/** A copy by rest instead of `delete`, which would make the record slow for good. */
function withoutCurrent({ currentRolloutId: _rolloutId, currentAttemptId: _attemptId, ...rest }: Worker): Worker {
  return rest;
}
