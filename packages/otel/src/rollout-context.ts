import { AsyncLocalStorage } from "node:async_hooks";
import type { SpanSink } from "./span-sink.ts";

/** Which attempt something belongs to. */
export interface RolloutIdentity {
  readonly rolloutId: string;
  readonly attemptId: string;
}

/** What the context carries; without a sink, the span processor finds or makes one for the identity. */
export interface RolloutScope {
  readonly identity: RolloutIdentity;
  readonly sink?: SpanSink;
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
  return storage.run({ identity: { rolloutId, attemptId } }, fn);
}
