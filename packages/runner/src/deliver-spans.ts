import type { Logger } from "@agentlightning/core";
import { type AttemptTrace, emitException, emitReward } from "@agentlightning/otel";
import { describeThrown } from "./describe-thrown.ts";
import { safeError } from "./error-text.ts";
import type { Verdict } from "./verdict.ts";

/** What delivery needs. */
export interface DeliveryOptions {
  readonly trace: AttemptTrace;
  readonly verdict: Verdict;
  readonly flushTimeoutMs: number;
  readonly log: Logger;
}

/** Delivers what is recorded; gives how many spans are lost for good. Never throws. */
async function flush({ trace, flushTimeoutMs, log }: DeliveryOptions): Promise<number> {
  try {
    const { droppedSpans, lastError } = await trace.flush({ timeoutMs: flushTimeoutMs });
    if (droppedSpans > 0) {
      const why = lastError === undefined ? "" : `: ${describeThrown(lastError).text}`;
      log.warn(`${droppedSpans} spans could not be delivered${why}`);
    }
    return droppedSpans;
  } catch (error) {
    log.error(`delivering spans failed: ${describeThrown(error).text}`);
    return 1;
  }
}

/** Delivers an attempt's spans, then its final reward: who sees the reward sees everything before it. */
export async function deliverSpans(options: DeliveryOptions): Promise<number> {
  const { trace, verdict, log } = options;
  const { result } = verdict;
  if (result.kind === "spans") {
    if (result.spans.length === 0) log.warn("the agent returned an empty list of spans");
    for (const span of result.spans) trace.record(span);
  }
  if (verdict.isAgentError) trace.runLast(() => emitException(safeError(verdict.error)));
  if (result.kind !== "reward") return flush(options);
  const dropped = trace.isIdle ? 0 : await flush(options);
  trace.runLast(() => emitReward(result.value));
  return Math.max(dropped, await flush(options));
}
