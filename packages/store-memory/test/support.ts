import type { LightningStore, SpanInput } from "@agentlightning/core";
import { createTestRuntime, type TestRuntime } from "@agentlightning/core/testing";
import { type MemoryStoreOptions, openMemoryStore } from "@agentlightning/store-memory";

export interface TestStore {
  readonly store: LightningStore;
  readonly runtime: TestRuntime;
}

/** A store whose time is the test's own and whose records are frozen at every level. */
export function openTestStore(options: MemoryStoreOptions = {}): TestStore {
  const runtime = createTestRuntime({ startMs: 1_000_000 });
  return { runtime, store: openMemoryStore({ runtime, deepFreeze: true, ...options }) };
}

let spanNumber = 0;

/** A span of an attempt, with an id of its own. */
export function span(
  attempt: { readonly rolloutId: string; readonly attemptId: string },
  fields: Partial<SpanInput> = {},
): SpanInput {
  spanNumber += 1;
  return {
    rolloutId: attempt.rolloutId,
    attemptId: attempt.attemptId,
    traceId: "0".repeat(32),
    spanId: spanNumber.toString(16).padStart(16, "0"),
    name: "step",
    status: { statusCode: "UNSET" },
    attributes: {},
    events: [],
    links: [],
    resource: { attributes: {}, schemaUrl: "" },
    ...fields,
  };
}

/** Claims, and fails the test when there is nothing. */
export async function claim(store: LightningStore, options: Parameters<LightningStore["dequeueRollout"]>[0] = {}) {
  const claimed = await store.dequeueRollout(options);
  if (claimed === undefined) throw new Error("nothing to claim");
  return claimed;
}

/** The code a promise is rejected with; fails the test when it is not. */
export async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  const error: unknown = await promise.then(
    (value) => {
      throw new Error(`expected an error, got ${JSON.stringify(value)}`);
    },
    (cause: unknown) => cause,
  );
  return (error as { code?: unknown }).code;
}
