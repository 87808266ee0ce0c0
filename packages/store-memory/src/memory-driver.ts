import type { Span, StoreCapabilities } from "@agentlightning/core";
import type { RolloutRecord } from "@agentlightning/core/lifecycle";
import {
  acceptSpans,
  patchedWorker,
  selectResources,
  selectRollouts,
  selectSpans,
  selectWorkers,
  type StoreDriver,
  type WorkerWrite,
} from "@agentlightning/store-kit";
import type { MemoryNamespace } from "./memory-database.ts";

/** Bounds of one value. */
export interface MemoryLimits {
  readonly maxInputBytes: number;
  readonly maxSpanBytes: number;
}

/** Everything in maps of this process. Each operation runs in one turn, which makes it atomic. */
export function createMemoryDriver(data: MemoryNamespace, { maxInputBytes, maxSpanBytes }: MemoryLimits): StoreDriver {
  const { shelves, table, resources, workers } = data;
  const capabilities: StoreCapabilities = Object.freeze({
    durable: false,
    multiProcess: false,
    watch: true,
    timeResolutionMs: 0.001,
    maxInputBytes,
    maxSpanBytes,
  });

  function writeWorkers(writes: readonly WorkerWrite[]): void {
    for (const { workerId, patch } of writes) {
      workers.set(workerId, patchedWorker(workerId, workers.get(workerId), patch));
    }
  }

  function* lookUp(rolloutIds: readonly string[]): Generator<RolloutRecord> {
    for (const rolloutId of new Set(rolloutIds)) {
      const record = table.get(rolloutId);
      if (record !== undefined) yield record;
    }
  }

  return {
    name: "memory",
    capabilities,

    insertRollouts(fresh, writes) {
      const [first] = fresh;
      if (first !== undefined && table.get(first.rollout.rolloutId) === undefined) writeWorkers(writes);
      return fresh.map((record) => {
        const existing = table.get(record.rollout.rolloutId);
        if (existing === undefined) table.put(record);
        return existing ?? record;
      });
    },
    readRollout: (rolloutId) => table.get(rolloutId),
    changeRollout(rolloutId, decide) {
      const current = table.get(rolloutId);
      const change = current === undefined ? undefined : decide(current);
      if (change === undefined) return current;
      writeWorkers(change.workers);
      table.put(change.record);
      return change.record;
    },
    claimRollouts({ limit, requestId }, begin) {
      const known = requestId === undefined ? [] : table.claimedBy(requestId);
      if (known.length > 0) return { records: known, isRepeat: true };
      const records: RolloutRecord[] = [];
      while (records.length < limit) {
        const waiting = table.queue.take();
        if (waiting === undefined) break;
        const change = begin(waiting);
        writeWorkers(change.workers);
        table.put(change.record);
        records.push(change.record);
      }
      return { records, isRepeat: false };
    },
    dueRollouts: (nowMs, limit) => table.due(nowMs, limit),
    earliestDeadlineMs: () => table.deadlines.earliest()?.deadlineMs,
    dropRollouts(rolloutIds) {
      for (const record of lookUp(rolloutIds)) if (record.rollout.endTimeMs !== undefined) table.drop(record);
    },

    appendSpans(batches, nowMs) {
      const stored: Span[] = [];
      for (const { rolloutId, drafts } of batches) {
        const record = table.get(rolloutId);
        if (record === undefined) continue;
        const shelf = shelves.shelfOf(rolloutId);
        const fresh = shelf.fresh(drafts);
        if (fresh.length === 0) continue;
        const accepted = acceptSpans(record, fresh, nowMs);
        shelves.add(shelf, accepted.spans, fresh);
        table.put(accepted.record);
        for (const span of accepted.spans) stored.push(span);
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
      const { rolloutIdIn, filterLogic, sortBy } = query;
      // Several in the order in which they were made: only a walk knows it.
      const isLookUp =
        rolloutIdIn !== undefined && filterLogic !== "or" && (sortBy !== undefined || rolloutIdIn.length < 2);
      return selectRollouts(isLookUp ? lookUp(rolloutIdIn) : table.values(), query);
    },
    querySpans: (rolloutId, query) => selectSpans(shelves.spansOf(rolloutId), query),

    putResources(update, expectedVersion) {
      if ((resources.get(update.resourcesId)?.version ?? 0) !== expectedVersion) return false;
      resources.set(update.resourcesId, update);
      data.latestResourcesId = update.resourcesId;
      return true;
    },
    readResources: (resourcesId) => resources.get(resourcesId),
    latestResources: () => (data.latestResourcesId === undefined ? undefined : resources.get(data.latestResourcesId)),
    queryResources: (query) => selectResources(resources.values(), query),

    patchWorker(workerId, decide) {
      const current = workers.get(workerId);
      const next = patchedWorker(workerId, current, decide(current));
      workers.set(workerId, next);
      return next;
    },
    readWorker: (workerId) => workers.get(workerId),
    queryWorkers: (query) => selectWorkers(workers.values(), query),

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
    close: () => undefined,
  };
}
