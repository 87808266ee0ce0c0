import type { LightningStore, Rollout, Span } from "@agentlightning/core";
import type { Acquaintances } from "./fuzz-calls.ts";

/** What does not hold. */
export class FuzzFinding extends Error {
  override readonly name = "FuzzFinding";
}

function insist(holds: boolean, what: string): void {
  if (!holds) throw new FuzzFinding(what);
}

/** Insists that a result is made of plain values, and frozen as promised. */
export function insistPlain(result: unknown, where: string): void {
  const pending: unknown[] = [result];
  for (let value = pending.pop(); value !== undefined || pending.length > 0; value = pending.pop()) {
    if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint")
      throw new FuzzFinding(`${where} gave a ${typeof value}`);
    if (typeof value !== "object" || value === null) continue;
    const prototype: unknown = Object.getPrototypeOf(value);
    const isPlain = Array.isArray(value) || prototype === Object.prototype || prototype === null;
    insist(isPlain, `${where} gave an object that is not plain`);
    insist(
      Object.getOwnPropertySymbols(value).every((key) => key === Symbol.iterator),
      `${where} gave a symbol key`,
    );
    pending.push(...Object.values(value));
  }
}

function insistLifecycle(rollout: Rollout, met: Acquaintances): void {
  const { rolloutId, status, attempt, endTimeMs } = rollout;
  const isTerminal = status === "succeeded" || status === "failed" || status === "cancelled";
  insist(isTerminal === (endTimeMs !== undefined), `${rolloutId} is ${status} and ends at ${endTimeMs}`);
  if (attempt !== undefined) {
    const isLive = attempt.status === "preparing" || attempt.status === "running";
    insist(
      isLive === (attempt.endTimeMs === undefined),
      `${attempt.attemptId} is ${attempt.status} and has the wrong end`,
    );
  }
  if (met.setByHand.has(rolloutId)) return;
  const of = attempt?.status;
  const agrees = {
    queuing: of === undefined,
    requeuing: of === "failed" || of === "timeout" || of === "unresponsive",
    preparing: of === "preparing",
    running: of === "running",
    succeeded: of === "succeeded",
    // A late span may revive an attempt of a rollout that failed, and it may then end in any way.
    failed: true,
    cancelled: false,
  }[status];
  insist(agrees, `${rolloutId} is ${status} while its latest attempt is ${of}`);
}

function insistNumbered(rolloutId: string, spans: readonly Span[], met: Acquaintances): void {
  if (met.numberedByHand.has(rolloutId)) return;
  const numbers = new Set(spans.map(({ sequenceId }) => sequenceId));
  insist(numbers.size === spans.length, `two spans of ${rolloutId} have one number`);
}

/** Insists that the store's numbers are those of its queries, and each rollout agrees with its attempts and spans. */
export async function insistInvariants(store: LightningStore, met: Acquaintances): Promise<void> {
  const counted = await store.statistics();
  const rollouts = await store.queryRollouts();
  let attempts = 0;
  let spans = 0;
  for (const rollout of rollouts) {
    const { rolloutId } = rollout;
    const all = await store.queryAttempts(rolloutId);
    const latest = all.items.at(-1);
    insist(
      all.items.every(({ sequenceId }, index) => sequenceId === index + 1),
      `attempts of ${rolloutId} have gaps`,
    );
    insist(latest?.attemptId === rollout.attempt?.attemptId, `${rolloutId} comes with another attempt than its latest`);
    insist(
      latest === (await store.getLatestAttempt(rolloutId)) || latest !== undefined,
      `${rolloutId} lost its attempt`,
    );
    insistLifecycle(rollout, met);
    const written = await store.querySpans(rolloutId);
    insistNumbered(rolloutId, written.items, met);
    attempts += all.total;
    spans += written.total;
  }
  const waiting = rollouts.items.filter(({ status }) => status === "queuing" || status === "requeuing");
  const found = {
    totalRollouts: rollouts.total,
    totalAttempts: attempts,
    totalSpans: spans,
    totalResources: (await store.queryResources()).total,
    totalWorkers: (await store.queryWorkers()).total,
    queuedRollouts: waiting.length,
  };
  for (const [name, value] of Object.entries(found))
    insist(
      Reflect.get(counted, name) === value,
      `statistics say ${name} ${Reflect.get(counted, name)}, queries ${value}`,
    );
}

/** Insists that as many rollouts can be claimed as wait, each once; afterwards none waits. */
export async function insistDrains(store: LightningStore): Promise<void> {
  const { queuedRollouts } = await store.statistics();
  const claimed = new Set<string>();
  for (;;) {
    const next = await store.dequeueManyRollouts({ limit: 500 });
    if (next.length === 0) break;
    for (const { rolloutId } of next) {
      insist(!claimed.has(rolloutId), `${rolloutId} was handed out twice`);
      claimed.add(rolloutId);
    }
  }
  insist(claimed.size === queuedRollouts, `${queuedRollouts} rollouts waited, ${claimed.size} were handed out`);
  insist((await store.statistics()).queuedRollouts === 0, "rollouts wait that nobody can claim");
}
