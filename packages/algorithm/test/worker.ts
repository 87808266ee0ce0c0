import type { AttemptReport, LightningStore, Logger, SpanInput } from "@agentlightning/core";
import { type AlgorithmContext, Baseline, type BaselineOptions } from "@agentlightning/algorithm";
import { silentLogger, systemRuntime } from "@agentlightning/core";

/** A span with a reward, or any other. */
export function spanOf(
  ids: { readonly rolloutId: string; readonly attemptId: string },
  spanId: string,
  attributes: SpanInput["attributes"],
): SpanInput {
  return {
    rolloutId: ids.rolloutId,
    attemptId: ids.attemptId,
    traceId: "a".repeat(32),
    spanId,
    name: "agentlightning.annotation",
    status: { statusCode: "UNSET" },
    attributes,
    events: [],
    links: [],
    startTimeMs: 1_700_000_000_000,
    endTimeMs: 1_700_000_001_500,
    resource: { attributes: {}, schemaUrl: "" },
  };
}

/** What a worker makes of a task: a reward, a failure, or whatever it does itself. */
export type Work = (task: unknown, attempt: number) => number | Error | undefined | Promise<number | Error | undefined>;

/** Serves a store by hand until the signal aborts, one rollout at a time. */
export async function serve(store: LightningStore, work: Work, signal: AbortSignal): Promise<void> {
  for (let number = 1; !signal.aborted; number += 1) {
    const claim = await store.dequeueRollout({ workerId: "hand", waitMs: 60_000, signal });
    if (claim === undefined) return;
    const ids = { rolloutId: claim.rolloutId, attemptId: claim.attempt.attemptId };
    const result = await work(claim.input, claim.attempt.sequenceId);
    if (typeof result === "number") {
      await store.addSpan(
        spanOf(ids, number.toString(16).padStart(16, "0"), {
          "agentlightning.reward.0.name": "primary",
          "agentlightning.reward.0.value": result,
        }),
      );
    }
    const report: AttemptReport =
      result instanceof Error ? { status: "failed", error: result.message } : { status: "succeeded" };
    await store.reportAttempt(ids.rolloutId, ids.attemptId, report);
  }
}

/** A context around a store. */
export function contextOf<T>(store: LightningStore, parts: Partial<AlgorithmContext<T>> = {}): AlgorithmContext<T> {
  return { store, signal: new AbortController().signal, logger: silentLogger, runtime: systemRuntime, ...parts };
}

/** Runs a Baseline with workers at its side. */
export async function runBaseline<T>(
  store: LightningStore,
  work: Work,
  parts: Partial<AlgorithmContext<T>>,
  options: BaselineOptions = {},
  workers: number = 1,
) {
  const over = new AbortController();
  const serving = Array.from({ length: workers }, () => serve(store, work, over.signal));
  try {
    return await new Baseline<T>(options).run(contextOf(store, parts));
  } finally {
    over.abort();
    await Promise.all(serving);
  }
}

/** Keeps the lines it is given. */
export function recordingLogger(): Logger & { readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (message: string): void => void lines.push(message);
  return { lines, debug: () => undefined, info: keep, warn: keep, error: keep };
}
