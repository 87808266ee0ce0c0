import { createPage, type JsonValue, type LightningStore } from "@agentlightning/core";
import { createStore } from "@agentlightning/store-kit";
import { createMemoryDriver, MemoryDatabase, resolveMemoryLimits } from "@agentlightning/store-memory";
import type { StoreFixture } from "@agentlightning/store-conformance";

/** Changes a store that works into one that does not. */
export type Breaking = (store: LightningStore) => Partial<LightningStore>;

/** A fixture over the memory store, some methods of whose stores are replaced. */
export function brokenStore(name: string, breaking: Breaking): StoreFixture {
  const database = new MemoryDatabase();
  return {
    name,
    open({ namespace, runtime }) {
      const driver = createMemoryDriver(database.namespace(namespace), resolveMemoryLimits());
      const store = createStore(driver, { runtime, deepFreeze: true });
      const replaced = breaking(store);
      return new Proxy(store, {
        get(target, key) {
          const value: unknown = Reflect.get(Object.hasOwn(replaced, key) ? replaced : target, key);
          return typeof value === "function" ? (value.bind(target) as unknown) : value;
        },
      });
    },
    drop: (namespace) => database.drop(namespace),
  };
}

/** A copy as a careless one is made: by assignment, which sets prototypes. */
function assigned(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(assigned);
  const copy: Record<string, JsonValue> = {};
  for (const [key, held] of Object.entries(value)) if (held !== undefined) copy[key] = assigned(held);
  return copy;
}

export const brokenStores: Readonly<Record<string, Breaking>> = {
  "hands out aliases of what it was given": (store) => {
    const inputs = new Map<string, JsonValue>();
    return {
      async enqueueRollout(request) {
        const rollout = await store.enqueueRollout(request);
        inputs.set(rollout.rolloutId, request.input);
        return rollout;
      },
      async getRolloutById(rolloutId) {
        const rollout = await store.getRolloutById(rolloutId);
        const input = inputs.get(rolloutId);
        return rollout === undefined || input === undefined ? rollout : Object.freeze({ ...rollout, input });
      },
    };
  },
  "lets a superseded attempt move the rollout": (store) => ({
    async reportAttempt(rolloutId, attemptId, report) {
      const outcome = await store.reportAttempt(rolloutId, attemptId, report);
      if (outcome.status === "lost" && outcome.reason === "superseded") {
        await store.updateRollout(rolloutId, { status: report.status === "succeeded" ? "succeeded" : "failed" });
      }
      return outcome;
    },
  }),
  "lets a late report move a finished rollout": (store) => ({
    async reportAttempt(rolloutId, attemptId, report) {
      const outcome = await store.reportAttempt(rolloutId, attemptId, report);
      if (outcome.status === "lost" && outcome.reason !== "superseded") {
        await store.updateRollout(rolloutId, { status: "queuing" });
        await store.updateRollout(rolloutId, { status: report.status === "succeeded" ? "succeeded" : "failed" });
      }
      return outcome;
    },
  }),
  "forgets the key of an enqueue": (store) => ({
    enqueueRollout: ({ idempotencyKey: _key, ...request }) => store.enqueueRollout(request),
  }),
  "forgets the request id of a claim": (store) => ({
    dequeueRollout: ({ requestId: _id, ...options } = {}) => store.dequeueRollout(options),
    dequeueManyRollouts: ({ requestId: _id, ...options } = {}) => store.dequeueManyRollouts(options),
  }),
  "waits for ever on an unknown id": (store) => ({
    async waitForRollouts(rolloutIds, options) {
      for (const rolloutId of rolloutIds) {
        if ((await store.getRolloutById(rolloutId)) === undefined) return new Promise(() => undefined);
      }
      return store.waitForRollouts(rolloutIds, options);
    },
  }),
  "copies inputs by assignment": (store) => ({
    enqueueRollout: (request) =>
      store.enqueueRollout({
        ...request,
        input: request.input === undefined ? request.input : assigned(request.input),
      }),
  }),
  "revives a lost lease with a span": (store) => ({
    async addSpan(span) {
      const stored = await store.addSpan(span);
      await store.renewLease(span.rolloutId, span.attemptId, { leaseMs: 1_000 });
      return stored;
    },
  }),
  "lets a renewal that comes too late have the rollout": (store) => ({
    async renewLease(rolloutId, attemptId, options) {
      const outcome = await store.renewLease(rolloutId, attemptId, options);
      return outcome.status === "lost" && outcome.reason === "superseded"
        ? { status: "held", leaseExpiresAtMs: 0 }
        : outcome;
    },
  }),
  "counts work that was handed back as an attempt of the agent": (store) => ({
    releaseAttempt: (rolloutId, attemptId) => store.reportAttempt(rolloutId, attemptId, { status: "failed" }),
  }),
  "answers claims in vain before their time": (store) => ({
    dequeueRollout: ({ waitMs: _wait, ...options } = {}) => store.dequeueRollout(options),
  }),
  "does not wake what waits when it closes": (store) => {
    let isClosed = false;
    return {
      async close() {
        isClosed = true;
      },
      async enqueueRollout(request) {
        if (isClosed) await store.close();
        return store.enqueueRollout(request);
      },
    };
  },
  "gives the pages of a sort backwards": (store) => ({
    async queryRollouts(query) {
      const page = await store.queryRollouts(query);
      return query?.sortBy === undefined
        ? page
        : createPage(page.items.toReversed(), page.total, page.limit, page.offset);
    },
  }),
};
