import { AsyncLocalStorage } from "node:async_hooks";
import type { SpanSink } from "./span-sink.ts";

/** Which attempt something belongs to. */
export interface RolloutIdentity {
  readonly rolloutId: string;
  readonly attemptId: string;
}

/** Names the span that others stand under. */
export interface ParentIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** What the context carries; without a sink, the span processor finds or makes one for the identity. */
export interface RolloutScope {
  readonly identity: RolloutIdentity;
  readonly sink?: SpanSink;
  /** Parent of spans that are recorded without an SDK. */
  readonly parent?: ParentIds;
}

const key = Symbol.for("agentlightning.otel.rollout-context");
const shared = globalThis as { [key]?: AsyncLocalStorage<RolloutScope | undefined> };

/** One storage per process, whatever the number of copies of this package. */
const storage: AsyncLocalStorage<RolloutScope | undefined> = (shared[key] ??= new AsyncLocalStorage());

/** The scope of the code that runs now. */
export function currentScope(): RolloutScope | undefined {
  return storage.getStore();
}

/** Runs `fn` inside a scope, or outside any. */
export function runInScope<T>(scope: RolloutScope | undefined, fn: () => T): T {
  return storage.run(scope, fn);
}

/** The attempt that the code that runs now belongs to. */
export function currentRollout(): RolloutIdentity | undefined {
  return storage.getStore()?.identity;
}

/**
 * Runs `fn` so that spans and rewards inside, also in what it starts and awaits, belong to this attempt.
 *
 * @example
 * ```ts
 * await runInRollout({ rolloutId, attemptId }, () => handle(request));
 * ```
 */
export function runInRollout<T>(identity: RolloutIdentity, fn: () => T): T {
  const { rolloutId, attemptId } = identity;
  const around = storage.getStore();
  // Inside a runner's attempt the same identity must go on reaching the runner's way to the store.
  const isSame = around?.identity.rolloutId === rolloutId && around.identity.attemptId === attemptId;
  return storage.run(isSame ? around : { identity: { rolloutId, attemptId } }, fn);
}
