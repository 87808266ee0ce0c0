import type { RolloutStatus } from "@agentlightning/core";
import type { Step } from "./steps.ts";

/** Bounds that every rollout of a history has. */
export const historyConfig = { maxAttempts: 2, retryCondition: ["failed" as const], maxLostAttempts: 1 };

interface PlainAttempt {
  readonly status: string;
  readonly isLeased: boolean;
  /** Why it ended, where that matters for what may come after. */
  readonly reason?: "cancelled" | "released" | "lease" | undefined;
}

interface PlainRollout {
  readonly status: RolloutStatus;
  readonly attempts: readonly PlainAttempt[];
  readonly lost: number;
  readonly spans: number;
}

/** What a store must be like, as plainly as it can be said; never changed, only followed by another. */
export interface PlainStore {
  readonly rollouts: readonly PlainRollout[];
  /** Rollouts that were handed back, first handed back first. */
  readonly heads: readonly number[];
  /** Rollouts in the order in which they were queued. */
  readonly tails: readonly number[];
}

export const emptyStore: PlainStore = { rollouts: [], heads: [], tails: [] };

/** What a step gives, and the store after it. */
export type Outcome = readonly [result: unknown, after: PlainStore];

const isLive = (attempt: PlainAttempt | undefined): boolean =>
  attempt?.status === "preparing" || attempt?.status === "running";
const isQueued = (status: RolloutStatus): boolean => status === "queuing" || status === "requeuing";
const isOver = (status: RolloutStatus): boolean =>
  status === "succeeded" || status === "failed" || status === "cancelled";

/** Puts a rollout in its new state, and in or out of the queue. */
function put(store: PlainStore, index: number, next: PlainRollout, place: "heads" | "tails" = "tails"): PlainStore {
  const rollouts = store.rollouts.with(index, next);
  const waits = store.heads.includes(index) || store.tails.includes(index);
  const without = (list: readonly number[]): readonly number[] => list.filter((waiting) => waiting !== index);
  if (!isQueued(next.status)) return { rollouts, heads: without(store.heads), tails: without(store.tails) };
  if (waits) return { ...store, rollouts };
  return { ...store, rollouts, [place]: [...store[place], index] };
}

function begin(store: PlainStore, index: number, rollout: PlainRollout, isLeased: boolean): PlainStore {
  const attempts = [...rollout.attempts, { status: "preparing", isLeased }];
  return put(store, index, { ...rollout, status: "preparing", attempts });
}

/** Ends an attempt; the latest one moves its rollout. */
function end(store: PlainStore, index: number, at: number, ended: PlainAttempt): PlainStore {
  const rollout = store.rollouts[index];
  if (rollout === undefined) return store;
  const next = { ...rollout, attempts: rollout.attempts.with(at, ended) };
  if (at !== rollout.attempts.length - 1 || isOver(rollout.status)) return put(store, index, next);
  if (ended.status === "succeeded") return put(store, index, { ...next, status: "succeeded" });
  if (ended.reason === undefined) {
    const isRetried = at + 1 - rollout.lost < historyConfig.maxAttempts;
    return put(store, index, { ...next, status: isRetried ? "requeuing" : "failed" });
  }
  const lost = rollout.lost + 1;
  const status = lost > historyConfig.maxLostAttempts ? "failed" : "requeuing";
  return put(store, index, { ...next, lost, status }, ended.reason === "released" ? "heads" : "tails");
}

/** Why an attempt does not hold its rollout, or `undefined` while it does. */
function lostReason(rollout: PlainRollout, at: number): string | undefined {
  const attempt = rollout.attempts[at];
  if (at !== rollout.attempts.length - 1) return "superseded";
  if (attempt?.reason === "cancelled" || rollout.status === "cancelled") return "cancelled";
  return isLive(attempt) ? undefined : "ended";
}

function report(store: PlainStore, index: number, at: number, ended: PlainAttempt): Outcome {
  const rollout = store.rollouts[index];
  const attempt = rollout?.attempts[at];
  if (rollout === undefined || attempt === undefined) return ["unknown", store];
  const why = lostReason(rollout, at);
  const ends = why === undefined || (why === "superseded" && isLive(attempt));
  const after = ends ? end(store, index, at, { ...ended, isLeased: attempt.isLeased }) : store;
  if (why === undefined) return ["applied", after];
  const isRepeat = !isLive(attempt) && attempt.status === ended.status && attempt.reason === ended.reason;
  return [isRepeat ? "applied" : why, after];
}

function renew(store: PlainStore, index: number, at: number): Outcome {
  const rollout = store.rollouts[index];
  const attempt = rollout?.attempts[at];
  if (rollout === undefined || attempt === undefined) return ["unknown", store];
  const why = lostReason(rollout, at);
  const held = (status: string): readonly PlainAttempt[] => rollout.attempts.with(at, { status, isLeased: true });
  if (why === undefined) return ["held", put(store, index, { ...rollout, attempts: held(attempt.status) })];
  if (why !== "ended" || attempt.reason !== "lease" || rollout.status !== "requeuing") return [why, store];
  const lost = Math.max(0, rollout.lost - 1);
  return ["held", put(store, index, { ...rollout, status: "running", lost, attempts: held("running") })];
}

function update(store: PlainStore, index: number, status: RolloutStatus): Outcome {
  const rollout = store.rollouts[index];
  if (rollout === undefined) return ["unknown", store];
  if (isOver(rollout.status) && !isQueued(status)) return [rollout.status, store];
  const last = rollout.attempts.length - 1;
  const latest = rollout.attempts[last];
  const cancels = status === "cancelled" && latest !== undefined && isLive(latest);
  const attempts = cancels
    ? rollout.attempts.with(last, { ...latest, status: "failed", reason: "cancelled" })
    : rollout.attempts;
  return [status, put(store, index, { ...rollout, status, attempts })];
}

function span(store: PlainStore, index: number, at: number): Outcome {
  const rollout = store.rollouts[index];
  const attempt = rollout?.attempts[at];
  if (rollout === undefined || attempt === undefined) return ["unknown", store];
  const spans = rollout.spans + 1;
  if (attempt.status !== "preparing") return [spans, put(store, index, { ...rollout, spans })];
  const attempts = rollout.attempts.with(at, { ...attempt, status: "running" });
  const moves = at === rollout.attempts.length - 1 && rollout.status === "preparing";
  return [spans, put(store, index, { ...rollout, spans, attempts, status: moves ? "running" : rollout.status })];
}

/** Every lease runs out that is not renewed; the order of those that do is the store's, as long as it keeps to it. */
function lapse(store: PlainStore): Outcome {
  let after = store;
  for (const [index, { status, attempts }] of store.rollouts.entries()) {
    const latest = attempts.at(-1);
    const isDue = (status === "preparing" || status === "running") && latest?.isLeased === true && isLive(latest);
    if (isDue) after = end(after, index, attempts.length - 1, { ...latest, status: "unresponsive", reason: "lease" });
  }
  return [undefined, after];
}

/** What a step gives on a store, and the store after it. */
export function follow(store: PlainStore, step: Step): Outcome {
  switch (step.kind) {
    case "enqueue": {
      const index = store.rollouts.length;
      const made: PlainRollout = { status: "queuing", attempts: [], lost: 0, spans: 0 };
      return [undefined, { ...store, rollouts: [...store.rollouts, made], tails: [...store.tails, index] }];
    }
    case "claim": {
      const index = [...store.heads, ...store.tails][0];
      const rollout = index === undefined ? undefined : store.rollouts[index];
      if (index === undefined || rollout === undefined) return ["none", store];
      return [[index, rollout.attempts.length + 1], begin(store, index, rollout, true)];
    }
    case "start": {
      const rollout = store.rollouts[step.rollout];
      if (rollout === undefined) return ["unknown", store];
      return [rollout.attempts.length + 1, begin(store, step.rollout, rollout, false)];
    }
    case "report":
      return report(store, step.rollout, step.attempt, { status: step.status, isLeased: false });
    case "release":
      return report(store, step.rollout, step.attempt, {
        status: "unresponsive",
        isLeased: false,
        reason: "released",
      });
    case "renew":
      return renew(store, step.rollout, step.attempt);
    case "update":
      return update(store, step.rollout, step.status);
    case "span":
      return span(store, step.rollout, step.attempt);
    case "lapse":
      return lapse(store);
  }
}
