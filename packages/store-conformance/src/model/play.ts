import type { LightningStore } from "@agentlightning/core";
import { spanOf } from "../arrange.ts";
import type { CaseContext } from "../case.ts";
import { equal, holds } from "../check.ts";
import { emptyStore, follow, historyConfig, type PlainStore, waitsAs } from "./plain-store.ts";
import type { Step } from "./steps.ts";

/** A step that was made, and what it gave. */
type Made = readonly [step: Step, result: unknown];

/** The ids that a history has made. */
class Names {
  readonly rollouts: string[] = [];
  readonly attempts = new Map<string, string[]>();

  attemptsOf(rollout: number): readonly string[] {
    return this.attempts.get(this.rollouts[rollout] ?? "") ?? [];
  }
  learn(rolloutId: string, attempt: { readonly attemptId: string; readonly sequenceId: number }): void {
    const known = this.attempts.get(rolloutId) ?? [];
    known[attempt.sequenceId - 1] = attempt.attemptId;
    this.attempts.set(rolloutId, known);
  }
}

/** The step with its picks brought into the range of what exists; `undefined` when there is nothing to pick. */
function addressed(step: Step, names: Names): Step | undefined {
  if (!("rollout" in step)) return step;
  if (names.rollouts.length === 0) return undefined;
  const rollout = step.rollout % names.rollouts.length;
  if (!("attempt" in step)) return { ...step, rollout };
  const { length } = names.attemptsOf(rollout);
  return length === 0 ? undefined : { ...step, rollout, attempt: step.attempt % length };
}

async function make(store: LightningStore, step: Step, names: Names, leaseMs: number): Promise<unknown> {
  const rolloutId = "rollout" in step ? (names.rollouts[step.rollout] ?? "") : "";
  const attemptId = "attempt" in step ? (names.attemptsOf(step.rollout)[step.attempt] ?? "") : "";
  switch (step.kind) {
    case "enqueue":
    case "lapse":
      return undefined;
    case "claim": {
      const claimed = await store.dequeueRollout({ leaseMs });
      if (claimed === undefined) return "none";
      names.learn(claimed.rolloutId, claimed.attempt);
      return [names.rollouts.indexOf(claimed.rolloutId), claimed.attempt.sequenceId];
    }
    case "start": {
      const { attempt } = await store.startAttempt(rolloutId);
      names.learn(rolloutId, attempt);
      return attempt.sequenceId;
    }
    case "report":
    case "release": {
      const outcome =
        step.kind === "report"
          ? await store.reportAttempt(rolloutId, attemptId, { status: step.status })
          : await store.releaseAttempt(rolloutId, attemptId);
      return outcome.status === "lost" ? outcome.reason : "applied";
    }
    case "renew": {
      const outcome = await store.renewLease(rolloutId, attemptId, { leaseMs });
      return outcome.status === "lost" ? outcome.reason : "held";
    }
    case "update":
      return (await store.updateRollout(rolloutId, { status: step.status })).status;
    default:
      return (await store.addSpan(spanOf({ rolloutId, attemptId })))?.sequenceId;
  }
}

/** Every store that some order of the steps leads to, in which each gives what it gave. */
function explain(store: PlainStore, made: readonly Made[]): readonly PlainStore[] {
  if (made.length === 0) return [store];
  return made.flatMap(([step, result], index) => {
    const rest = made.toSpliced(index, 1);
    return follow(store, step).flatMap(([expected, after]) => (same(expected, result) ? explain(after, rest) : []));
  });
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function different(stores: readonly PlainStore[]): readonly PlainStore[] {
  return [...new Map(stores.map((store) => [JSON.stringify(store), store])).values()];
}

async function view(store: LightningStore, names: Names): Promise<unknown> {
  return Promise.all(
    names.rollouts.map(async (rolloutId) => {
      const rollout = await store.getRolloutById(rolloutId);
      const { items } = await store.queryAttempts(rolloutId);
      return {
        status: rollout?.status,
        attempts: items.map(({ status }) => status),
        lost: rollout?.lostAttempts,
        spans: (await store.querySpans(rolloutId, { limit: 0 })).total,
      };
    }),
  );
}

function plainView({ rollouts }: PlainStore): unknown {
  return rollouts.map(({ status, attempts, lost, spans }) => ({
    status,
    attempts: attempts.map((attempt) => attempt.status),
    lost,
    spans,
  }));
}

/**
 * Plays a history: each round's calls at once, over the handles in turn. After every round some order of its calls must
 * explain all their results, and at the end the store must be where one of those orders leads, queue included.
 */
export async function play(
  context: CaseContext,
  handles: readonly LightningStore[],
  rounds: readonly (readonly Step[])[],
): Promise<void> {
  const names = new Names();
  try {
    await playAll(context, handles, rounds, names);
  } finally {
    // The next history starts with an empty queue and no attempt under way.
    for (const rolloutId of names.rollouts) await context.store.updateRollout(rolloutId, { status: "cancelled" });
  }
}

async function playAll(
  context: CaseContext,
  handles: readonly LightningStore[],
  rounds: readonly (readonly Step[])[],
  names: Names,
): Promise<void> {
  const { store } = context;
  const leaseMs = 60 * context.unitMs;
  let candidates: readonly PlainStore[] = [emptyStore];
  for (const round of rounds) {
    const made = await playRound(context, handles, round, names, leaseMs);
    candidates = different(candidates.flatMap((candidate) => explain(candidate, made)));
    holds(candidates.length > 0, `no order of these calls explains what they gave: ${JSON.stringify(made)}`);
  }
  const seen = await view(store, names);
  const reached = candidates.filter((candidate) => same(plainView(candidate), seen));
  if (reached.length === 0) equal(seen, plainView(candidates[0] ?? emptyStore), "the store is where its model is");
  const waiting = (await store.dequeueManyRollouts({ limit: 1_000 })).map(({ rolloutId }) =>
    names.rollouts.indexOf(rolloutId),
  );
  holds(
    reached.some((candidate) => waitsAs(candidate, waiting)),
    `the queue is ${JSON.stringify(waiting)}, and should be as in ${JSON.stringify(reached[0])}`,
  );
}

async function playRound(
  context: CaseContext,
  handles: readonly LightningStore[],
  round: readonly Step[],
  names: Names,
  leaseMs: number,
): Promise<readonly Made[]> {
  const steps = round.flatMap((step) => addressed(step, names) ?? []);
  if (steps.some(({ kind }) => kind === "lapse")) await context.advance(leaseMs + 1);
  // Rollouts are named in the order in which they are made, so each is made by itself.
  for (const step of steps) {
    if (step.kind !== "enqueue") continue;
    const [store = context.store] = handles;
    const rollout = await store.enqueueRollout({ input: null, config: historyConfig });
    names.rollouts.push(rollout.rolloutId);
  }
  const made = steps.filter(({ kind }) => kind === "enqueue").map((step): Made => [step, undefined]);
  const rest = steps.filter(({ kind }) => kind !== "enqueue");
  const results = await Promise.all(
    rest.map((step, index) => make(handles[index % handles.length] ?? context.store, step, names, leaseMs)),
  );
  if (context.clock === "injected") await context.advance(1);
  return [...made, ...rest.map((step, index): Made => [step, results[index]])];
}
