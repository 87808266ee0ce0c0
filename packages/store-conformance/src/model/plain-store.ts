import type { RolloutConfig, RolloutStatus } from "@agentlightning/core";
import type { Step } from "./steps.ts";

/** Bounds that every rollout of a history has. */
export const historyConfig: Pick<RolloutConfig, "maxAttempts" | "retryCondition" | "maxLostAttempts"> = {
  maxAttempts: 2,
  retryCondition: ["failed"],
  maxLostAttempts: 1,
};

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
  /** Rollouts in the order in which they were queued; those of one group were queued at once, in an order of the store's own. */
  readonly tails: readonly (readonly number[])[];
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
  const waits = store.heads.includes(index) || store.tails.some((group) => group.includes(index));
  if (isQueued(next.status)) {
    if (waits) return { ...store, rollouts };
    if (place === "heads") return { ...store, rollouts, heads: [...store.heads, index] };
    return { ...store, rollouts, tails: [...store.tails, [index]] };
  }
  const without = (list: readonly number[]): readonly number[] => list.filter((waiting) => waiting !== index);
  const tails = store.tails.map(without).filter((group) => group.length > 0);
  return { rollouts, heads: without(store.heads), tails };
}

/** Whether the rollouts wait in this order. */
export function waitsAs({ heads, tails }: PlainStore, order: readonly number[]): boolean {
  const groups = [...heads.map((index) => [index]), ...tails];
  if (order.length !== groups.flat().length) return false;
  let at = 0;
  return groups.every((group) => {
    const next = order.slice(at, at + group.length);
    at += group.length;
    return group.every((index) => next.includes(index));
  });
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

/** Every lease runs out; the order in which those rollouts are queued again is the store's. */
function lapse(store: PlainStore): Outcome {
  let after = store;
  for (const [index, { status, attempts }] of store.rollouts.entries()) {
    const latest = attempts.at(-1);
    const isDue = (status === "preparing" || status === "running") && latest?.isLeased === true && isLive(latest);
    if (isDue) after = end(after, index, attempts.length - 1, { ...latest, status: "unresponsive", reason: "lease" });
  }
  const before = store.tails.length;
  const group = after.tails.slice(before).flat();
  const tails = group.length > 1 ? [...after.tails.slice(0, before), group] : after.tails;
  return [undefined, { ...after, tails }];
}

/** A claim of what waits first: one of its group. */
function claim(store: PlainStore): readonly Outcome[] {
  const first = store.heads[0] === undefined ? (store.tails[0] ?? []) : [store.heads[0]];
  if (first.length === 0) return [["none", store]];
  return first.flatMap((index) => {
    const rollout = store.rollouts[index];
    if (rollout === undefined) return [];
    return [[[index, rollout.attempts.length + 1], begin(store, index, rollout, true)] as const];
  });
}

/** What a step may give on a store, and the store after it. */
export function follow(store: PlainStore, step: Step): readonly Outcome[] {
  return step.kind === "claim" ? claim(store) : [followOne(store, step)];
}

function followOne(store: PlainStore, step: Exclude<Step, { readonly kind: "claim" }>): Outcome {
  switch (step.kind) {
    case "enqueue": {
      const index = store.rollouts.length;
      const made: PlainRollout = { status: "queuing", attempts: [], lost: 0, spans: 0 };
      return [undefined, { ...store, rollouts: [...store.rollouts, made], tails: [...store.tails, [index]] }];
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
    default:
      return lapse(store);
  }
}
