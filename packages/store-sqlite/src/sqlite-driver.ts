import type { Span, StoreCapabilities } from "@agentlightning/core";
import { LightningError } from "@agentlightning/core";
import type { RolloutRecord } from "@agentlightning/core/lifecycle";
import {
  type Awaitable,
  acceptSpans,
  type ClaimRequest,
  type RecordChange,
  type SpanBatch,
  type StoreDriver,
  selectResources,
  selectWorkers,
  type WorkerWrite,
} from "@agentlightning/store-kit";
import { openEngine, type Engine } from "./engine.ts";
import { type SqliteDriverOptions, resolveOptions } from "./options.ts";

function insertRollouts(
  { rollouts, workers }: Engine,
  records: readonly RolloutRecord[],
  writes: readonly WorkerWrite[],
) {
  return records.map((record, index) => {
    const existing = rollouts.find(record.rollout.rolloutId);
    if (existing !== undefined) return existing.record;
    rollouts.insert(record);
    if (index === 0) workers.write(writes);
    return record;
  });
}

function changeRollout(
  { rollouts, workers }: Engine,
  rolloutId: string,
  decide: (record: RolloutRecord) => RecordChange | undefined,
): RolloutRecord | undefined {
  const current = rollouts.find(rolloutId);
  const change = current === undefined ? undefined : decide(current.record);
  if (current === undefined || change === undefined) return current?.record;
  workers.write(change.workers);
  rollouts.put(current, change.record);
  return change.record;
}

function claimedBefore({ rollouts }: Engine, { requestId }: ClaimRequest): readonly RolloutRecord[] {
  return requestId === undefined ? [] : rollouts.claimedBy(requestId);
}

function claimRollouts(engine: Engine, request: ClaimRequest, begin: (record: RolloutRecord) => RecordChange) {
  const known = claimedBefore(engine, request);
  if (known.length > 0) return { records: known, isRepeat: true };
  const records = engine.rollouts.queued(request.limit).map((waiting) => {
    const change = begin(waiting.record);
    engine.workers.write(change.workers);
    engine.rollouts.put(waiting, change.record);
    return change.record;
  });
  return { records, isRepeat: false };
}

function appendSpans({ rollouts, spans }: Engine, batches: readonly SpanBatch[], nowMs: number): readonly Span[] {
  const stored: Span[] = [];
  for (const { rolloutId, drafts } of batches) {
    const current = rollouts.findBare(rolloutId);
    const fresh = current === undefined ? [] : spans.fresh(current.id, drafts);
    if (current === undefined || fresh.length === 0) continue;
    const accepted = acceptSpans(current.record, fresh, nowMs);
    spans.add(current.id, accepted.spans, fresh);
    rollouts.putBare(current, accepted.record);
    for (const span of accepted.spans) stored.push(span);
  }
  return stored;
}

function reserveSequence({ rollouts }: Engine, rolloutId: string, count: number): number | undefined {
  const current = rollouts.findBare(rolloutId);
  if (current === undefined) return undefined;
  const { spanCounter } = current.record;
  rollouts.putBare(current, { ...current.record, spanCounter: spanCounter + count });
  return spanCounter + 1;
}

function dropRollouts({ rollouts, spans }: Engine, rolloutIds: readonly string[]): void {
  for (const rolloutId of new Set(rolloutIds)) {
    const current = rollouts.findBare(rolloutId);
    if (current?.record.rollout.endTimeMs === undefined) continue;
    spans.drop(current.id);
    rollouts.drop(current);
  }
}

/**
 * A driver on a file, for `createStore`; opened and checked like {@link openSqliteStore} does.
 *
 * @throws invalid_options, unsupported, unavailable
 */
export async function createSqliteDriver(path: string, options: SqliteDriverOptions = {}): Promise<StoreDriver> {
  const resolved = resolveOptions(options);
  const engine = await openEngine(path, resolved);
  const { rollouts, spans, resources, workers, log } = engine;
  const capabilities: StoreCapabilities = Object.freeze({
    durable: true,
    multiProcess: true,
    watch: true,
    timeResolutionMs: 0.001,
    maxInputBytes: resolved.maxInputBytes,
    maxSpanBytes: resolved.maxSpanBytes,
  });
  let closing: Promise<void> | undefined;

  function requireOpen(): void {
    if (closing !== undefined) throw new LightningError({ code: "closed", message: "this store handle was closed" });
  }
  function read<T>(work: () => T): Awaitable<T> {
    requireOpen();
    return engine.read(work);
  }
  async function write<T>(work: () => T): Promise<T> {
    requireOpen();
    return engine.writer.write(work);
  }

  return {
    name: "sqlite",
    capabilities,

    insertRollouts: (records, writes) => write(() => insertRollouts(engine, records, writes)),
    readRollout: (rolloutId) => read(() => rollouts.find(rolloutId)?.record),
    changeRollout: (rolloutId, decide) => write(() => changeRollout(engine, rolloutId, decide)),
    async claimRollouts(request, begin) {
      // Runners ask again and again: while nothing waits, nobody is kept from writing.
      const isIdle = await read(() => !rollouts.hasQueued() && claimedBefore(engine, request).length === 0);
      if (isIdle) return { records: [], isRepeat: false };
      return write(() => claimRollouts(engine, request, begin));
    },
    dueRollouts: (nowMs, limit) => read(() => rollouts.due(nowMs, limit)),
    earliestDeadlineMs: () => read(() => rollouts.earliestDeadlineMs()),
    dropRollouts: (rolloutIds) => write(() => dropRollouts(engine, rolloutIds)),

    appendSpans: (batches, nowMs) => write(() => appendSpans(engine, batches, nowMs)),
    reserveSequence: (rolloutId, count) => write(() => reserveSequence(engine, rolloutId, count)),

    queryRollouts: (query) => read(() => rollouts.query(query)),
    querySpans: (rolloutId, query) => read(() => spans.query(rollouts.findBare(rolloutId)?.id ?? 0, query)),

    putResources: (update, expectedVersion) => write(() => resources.put(update, expectedVersion)),
    readResources: (resourcesId) => read(() => resources.get(resourcesId)),
    latestResources: () => read(() => resources.latest()),
    queryResources: (query) => read(() => selectResources(resources.all(), query)),

    patchWorker: (workerId, decide) => write(() => workers.patch(workerId, decide)),
    readWorker: (workerId) => read(() => workers.get(workerId)),
    queryWorkers: (query) => read(() => selectWorkers(workers.all(), query)),

    counts: () => read(() => engine.counts()),
    watch: (listener) => log.listen(listener),
    attend: () => log.attend(),
    lastSequence: () => log.lastSequence,
    close: () => (closing ??= engine.close()),
  };
}
