import { createPage } from "@agentlightning/core";
import type { RolloutRecord } from "@agentlightning/core/lifecycle";
import type { StoreDriver, WorkerWrite } from "@agentlightning/store-kit";
import { createMemoryDriver, MemoryDatabase, resolveMemoryLimits } from "@agentlightning/store-memory";
import type { StoreFixture } from "@agentlightning/store-conformance";

/** Changes a driver that works into one that does not. */
export type Breaking = (driver: StoreDriver) => Partial<StoreDriver>;

/** A fixture over the memory driver, some operations of which are replaced. */
export function brokenDriver(name: string, breaking: Breaking): StoreFixture {
  const database = new MemoryDatabase();
  return {
    name,
    openDriver({ namespace }) {
      const driver = createMemoryDriver(database.namespace(namespace), resolveMemoryLimits());
      return { ...driver, ...breaking(driver) };
    },
    drop: (namespace) => database.drop(namespace),
  };
}

/** The memory driver, in which every namespace is the same one. */
export function namelessDriver(name: string): StoreFixture {
  const database = new MemoryDatabase();
  const shared = new Map<object, string>();
  return {
    name,
    openDriver({ namespace, runtime }) {
      // Cases stay apart, each with its own runtime; the namespaces of one case do not.
      const first = shared.get(runtime) ?? namespace;
      shared.set(runtime, first);
      return createMemoryDriver(database.namespace(first), resolveMemoryLimits());
    },
  };
}

/** Every change of a record passes through `alter`, which sees the record before and after it. */
function altering(
  driver: StoreDriver,
  alter: (after: RolloutRecord, before: RolloutRecord) => RolloutRecord,
): Pick<StoreDriver, "changeRollout"> {
  return {
    changeRollout: (rolloutId, decide) =>
      driver.changeRollout(rolloutId, (before) => {
        const change = decide(before);
        return change === undefined ? undefined : { ...change, record: alter(change.record, before) };
      }),
  };
}

const unguarded = (workers: readonly WorkerWrite[]): readonly WorkerWrite[] =>
  workers.map(({ workerId, patch: { onlyIfAttemptId: _guard, ...patch } }) => ({ workerId, patch }));

export const brokenDrivers: Readonly<Record<string, Breaking>> = {
  "loses the last of many rollouts": (driver) => ({
    insertRollouts(records, workers) {
      if (records.length < 2) return driver.insertRollouts(records, workers);
      void driver.insertRollouts(records.slice(0, -1), workers);
      return records;
    },
  }),
  "claims twice": (driver) => {
    let last: RolloutRecord | undefined;
    return {
      async claimRollouts(request, begin) {
        if (last !== undefined && request.requestId === undefined) {
          const again = last;
          last = undefined;
          return { records: [again], isRepeat: false };
        }
        const result = await driver.claimRollouts(request, begin);
        last = result.records[0];
        return result;
      },
    };
  },
  "requeues twice": (driver) => {
    const ghosts: RolloutRecord[] = [];
    return {
      ...altering(driver, (after, before) => {
        if (after.queuePosition !== undefined && before.queuePosition === undefined) ghosts.push(after);
        return after;
      }),
      async claimRollouts(request, begin) {
        const result = await driver.claimRollouts(request, begin);
        if (result.records.length > 0) return result;
        const ghost = ghosts.shift();
        return ghost === undefined ? result : { records: [begin(ghost).record], isRepeat: false };
      },
    };
  },
  "claims the newest first": (driver) => ({
    insertRollouts: (records, workers) =>
      driver.insertRollouts(
        records.map((record) => {
          const { queuePosition } = record;
          return queuePosition === undefined ? record : { ...record, queuePosition: -queuePosition };
        }),
        workers,
      ),
  }),
  "puts a retry before everything": (driver) =>
    altering(driver, (after, before) =>
      after.queuePosition !== undefined && before.queuePosition === undefined
        ? { ...after, queuePosition: -1e15 }
        : after,
    ),
  "expires what was just renewed": (driver) => {
    const due = new Map<string, RolloutRecord>();
    return {
      async dueRollouts(nowMs, limit) {
        const records = await driver.dueRollouts(nowMs, limit);
        for (const record of records) due.set(record.rollout.rolloutId, record);
        return records;
      },
      changeRollout: (rolloutId, decide) =>
        driver.changeRollout(rolloutId, (record) => {
          // Guarded by the revision alone, which a renewal does not move.
          const judged = due.get(rolloutId);
          due.delete(rolloutId);
          return decide(judged?.revision === record.revision ? judged : record);
        }),
    };
  },
  "compares times in the wrong unit": (driver) => ({
    dueRollouts: (nowMs, limit) => driver.dueRollouts(nowMs / 1_000, limit),
  }),
  "keeps the end time of a rollout that was reopened": (driver) =>
    altering(driver, (after, before) => {
      const { endTimeMs } = before.rollout;
      return endTimeMs === undefined ? after : { ...after, rollout: Object.freeze({ ...after.rollout, endTimeMs }) };
    }),
  "leaves the attempt of a cancelled rollout as it was": (driver) =>
    altering(driver, (after, before) =>
      after.rollout.status === "cancelled" ? { ...after, attempts: before.attempts } : after,
    ),
  "gives a sequence number twice": (driver) => ({
    async reserveSequence(rolloutId) {
      const record = await driver.readRollout(rolloutId);
      return record === undefined ? undefined : record.spanCounter + 1;
    },
  }),
  "skips a sequence number without a fault": (driver) => ({
    async appendSpans(batches, nowMs) {
      for (const { rolloutId } of batches) await driver.reserveSequence(rolloutId, 1);
      return driver.appendSpans(batches, nowMs);
    },
  }),
  "drops the last span of a batch": (driver) => ({
    appendSpans: (batches, nowMs) =>
      driver.appendSpans(
        batches.map(({ rolloutId, drafts }) => ({
          rolloutId,
          drafts: drafts.slice(0, Math.max(1, drafts.length - 1)),
        })),
        nowMs,
      ),
  }),
  "knows spans by their id alone": (driver) => {
    const known = new Set<string>();
    return {
      appendSpans(batches, nowMs) {
        const fresh = batches.map(({ rolloutId, drafts }) => ({
          rolloutId,
          drafts: drafts.filter(({ span }) => {
            const isNew = !known.has(span.spanId);
            known.add(span.spanId);
            return isNew;
          }),
        }));
        return driver.appendSpans(fresh, nowMs);
      },
    };
  },
  "stores a repeated span again": (driver) => {
    let count = 0;
    return {
      appendSpans: (batches, nowMs) =>
        driver.appendSpans(
          batches.map(({ rolloutId, drafts }) => ({
            rolloutId,
            drafts: drafts.map(({ span, bytes }) => {
              count += 1;
              return { span: { ...span, attemptId: span.attemptId, spanId: `${span.spanId}#${count}` }, bytes };
            }),
          })),
          nowMs,
        ),
    };
  },
  "stamps no heartbeat": (driver) => ({
    appendSpans: (batches, _nowMs) => driver.appendSpans(batches, 0),
  }),
  "cuts pages that overlap": (driver) => ({
    queryRollouts: ({ offset = 0, ...query }) => driver.queryRollouts({ ...query, offset: Math.max(0, offset - 1) }),
  }),
  "sorts numbers as text": (driver) => ({
    async querySpans(rolloutId, query) {
      const { items } = await driver.querySpans(rolloutId, { ...query, limit: -1, offset: 0 });
      const { limit = -1, offset = 0, sortOrder } = query;
      const sorted = items.toSorted((a, b) => (String(a.sequenceId) < String(b.sequenceId) ? -1 : 1));
      const ordered = sortOrder === "desc" ? sorted.toReversed() : sorted;
      const page = await driver.querySpans(rolloutId, query);
      return createPage(ordered.slice(offset, limit < 0 ? undefined : offset + limit), page.total, limit, offset);
    },
  }),
  "loses what JSON text cannot hold": (driver) => ({
    insertRollouts: (records, workers) =>
      driver.insertRollouts(
        records.map((record) => {
          const input: unknown = JSON.parse(JSON.stringify(record.rollout.input));
          return {
            ...record,
            rollout: Object.freeze({ ...record.rollout, input: input as typeof record.rollout.input }),
          };
        }),
        workers,
      ),
  }),
  "frees a worker for the end of an old attempt": (driver) => ({
    changeRollout: (rolloutId, decide) =>
      driver.changeRollout(rolloutId, (record) => {
        const change = decide(record);
        return change === undefined ? undefined : { ...change, workers: unguarded(change.workers) };
      }),
  }),
  "never frees a worker": (driver) => ({
    changeRollout: (rolloutId, decide) =>
      driver.changeRollout(rolloutId, (record) => {
        const change = decide(record);
        return change === undefined ? undefined : { ...change, workers: [] };
      }),
  }),
  "takes the resources with the highest id for the latest": (driver) => ({
    async latestResources() {
      const { items } = await driver.queryResources({});
      return items.toSorted((a, b) => (a.resourcesId < b.resourcesId ? 1 : -1))[0];
    },
  }),
  "does not guard versions of resources": (driver) => ({
    async putResources(update, _expectedVersion) {
      await Promise.resolve();
      const current = await driver.readResources(update.resourcesId);
      for (let version = current?.version ?? 0; ; version += 1) {
        if (await driver.putResources(update, version)) return true;
      }
    },
  }),
  "claims one more than was asked for": (driver) => ({
    claimRollouts: (request, begin) => driver.claimRollouts({ ...request, limit: request.limit + 1 }, begin),
  }),
  "counts what it was asked to store": (driver) => {
    let spans = 0;
    return {
      appendSpans(batches, nowMs) {
        for (const { drafts } of batches) spans += drafts.length;
        return driver.appendSpans(batches, nowMs);
      },
      counts: async () => ({ ...(await driver.counts()), spans }),
    };
  },
};
