import { attemptStatuses, rolloutModes, rolloutStatuses, spanStatusCodes, workerStatuses } from "@agentlightning/core";
import { anyJson, type Dice, junk, oddNumber, oddText } from "./fuzz-values.ts";

/** What the calls so far came upon, so that later ones are about something. */
export class Acquaintances {
  readonly #attempts: (readonly [rolloutId: string, attemptId: string])[] = [];
  /** Rollouts whose status, or an attempt's, somebody set by hand: the rules of the lifecycle do not bind them. */
  readonly setByHand: Set<string> = new Set();
  /** Rollouts some of whose spans came with numbers of their own. */
  readonly numberedByHand: Set<string> = new Set();

  meet(rolloutId: string, attemptId: string | undefined): void {
    const known = [rolloutId, attemptId ?? "latest"] as const;
    // The oldest make room: most calls are to be about rollouts that still change.
    if (this.#attempts.push(known) > 400) this.#attempts.splice(0, 200);
  }

  pair(dice: Dice): readonly [rolloutId: string, attemptId: string] {
    return this.#attempts.length === 0 ? ["ro-none", "at-none"] : dice.of(this.#attempts);
  }
}

/** A call as it is made. */
export interface FuzzCall {
  readonly method: string;
  readonly args: readonly unknown[];
}

type Make = (dice: Dice, met: Acquaintances) => readonly unknown[];

/** Mostly what is asked for, now and then anything. */
function mostly(dice: Dice, value: () => unknown): unknown {
  return dice.chance(0.06) ? junk(dice) : value();
}

/** An object of fields, each there, missing or wrong. */
function fields(dice: Dice, makers: Readonly<Record<string, () => unknown>>, presence: number): unknown {
  return mostly(dice, () => {
    const given: Record<string, unknown> = {};
    for (const [key, make] of Object.entries(makers)) if (dice.chance(presence)) given[key] = mostly(dice, make);
    return given;
  });
}

const short = (dice: Dice, prefix: string): string => `${prefix}-${dice.below(100)}`;
const duration = (dice: Dice): number => (dice.chance(0.2) ? oddNumber(dice) : 3.6e6 + dice.below(1_000));
const count = (dice: Dice): number => (dice.chance(0.2) ? oddNumber(dice) : dice.below(5));
const logic = (dice: Dice): string => dice.of(["and", "or"]);

function config(dice: Dice): unknown {
  return fields(
    dice,
    {
      timeoutMs: () => duration(dice),
      unresponsiveMs: () => duration(dice),
      claimWithinMs: () => duration(dice),
      maxAttempts: () => 1 + count(dice),
      maxLostAttempts: () => count(dice),
      retryCondition: () => Array.from({ length: dice.below(3) }, () => dice.of(attemptStatuses)),
    },
    0.3,
  );
}

function request(dice: Dice): unknown {
  const optional = {
    mode: () => dice.of(rolloutModes),
    resourcesId: () => short(dice, "rs"),
    config: () => config(dice),
    metadata: () => anyJson(dice),
    workerId: () => short(dice, "worker"),
    idempotencyKey: () => (dice.chance(0.5) ? oddText(dice) : short(dice, "key")),
  };
  return mostly(dice, () => Object.assign({ input: anyJson(dice) }, fields(dice, optional, 0.15)));
}

function context(dice: Dice): unknown {
  const state = {
    traceId: () => "t",
    spanId: () => "s",
    isRemote: () => true,
    traceState: () => ({ a: oddText(dice) }),
  };
  return fields(dice, state, 0.97);
}

function span(dice: Dice, met: Acquaintances): unknown {
  const [rolloutId, attemptId] = met.pair(dice);
  const event = () => fields(dice, { name: () => "event", attributes: () => ({}), timestampMs: () => 1 }, 0.95);
  const link = () => fields(dice, { context: () => context(dice), attributes: () => ({ a: 1 }) }, 0.95);
  const given = {
    rolloutId,
    attemptId,
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: `${dice.below(100_000)}`,
    name: oddText(dice),
    status: { statusCode: dice.of(spanStatusCodes) },
    attributes: { a: anyJson(dice), n: -0 },
    events: [],
    links: [],
    resource: { attributes: {}, schemaUrl: "" },
    startTimeMs: dice.below(1_000),
    endTimeMs: dice.below(2_000),
  };
  const odd = {
    sequenceId: () => oddNumber(dice),
    spanId: () => oddText(dice),
    parentId: () => oddText(dice),
    attributes: () => anyJson(dice),
    status: () => fields(dice, { statusCode: () => oddText(dice), description: () => oddText(dice) }, 0.7),
    events: () => [event()],
    links: () => [link()],
    context: () => context(dice),
    parent: () => context(dice),
    extra: () => anyJson(dice),
    startTimeUnixNano: () => oddText(dice),
    startTimeMs: () => oddNumber(dice),
    [dice.of(Object.keys(given))]: () => junk(dice),
  };
  return mostly(dice, () => (dice.chance(0.6) ? given : Object.assign({ ...given }, fields(dice, odd, 0.08))));
}

function aborted(): AbortSignal {
  return AbortSignal.abort(new Error("enough"));
}

/** Always with an end: a wait that is asked for without one is none that hangs. */
function claim(dice: Dice): unknown {
  const options = {
    workerId: () => short(dice, "worker"),
    leaseMs: () => duration(dice),
    requestId: () => (dice.chance(0.3) ? oddText(dice) : short(dice, "request")),
    limit: () => count(dice),
    waitMs: () => 0,
    signal: () => (dice.chance(0.5) ? aborted() : new AbortController().signal),
  };
  if (dice.chance(0.97)) return fields(dice, options, 0.3);
  return { waitMs: dice.of([0.5, 1, Infinity]), signal: dice.chance(0.8) ? aborted() : AbortSignal.timeout(2) };
}

function paged(dice: Dice, sorts: readonly string[], rest: Readonly<Record<string, () => unknown>>): unknown {
  const page = {
    sortBy: () => dice.of(sorts),
    sortOrder: () => dice.of(["asc", "desc"]),
    limit: () => count(dice),
    offset: () => count(dice),
    filterLogic: () => logic(dice),
  };
  return fields(dice, { ...page, ...rest }, 0.3);
}

function resources(dice: Dice): unknown {
  const llm = {
    resourceType: () => dice.of(["llm", "proxy_llm", "prompt_template"]),
    endpoint: () => "http://model",
    model: () => oddText(dice),
    apiKey: () => oddText(dice),
    samplingParameters: () => anyJson(dice),
    template: () => oddText(dice),
    engine: () => dice.of(["jinja", "f-string", "poml", oddText(dice)]),
  };
  return fields(dice, { main: () => fields(dice, llm, 0.9), ["__proto__"]: () => fields(dice, llm, 0.9) }, 0.8);
}

const id = (dice: Dice, met: Acquaintances): unknown => mostly(dice, () => met.pair(dice)[0]);
const ids = (dice: Dice, met: Acquaintances): readonly unknown[] => {
  const [rolloutId, attemptId] = met.pair(dice);
  return [mostly(dice, () => rolloutId), mostly(dice, () => (dice.chance(0.1) ? "latest" : attemptId))];
};
const few = <T>(dice: Dice, make: () => T): unknown =>
  mostly(dice, () => Array.from({ length: dice.below(4) }, () => make()));

/** How often a method is called, and with what. */
const calls: readonly (readonly [method: string, weight: number, make: Make])[] = [
  ["enqueueRollout", 8, (dice) => [request(dice)]],
  ["enqueueManyRollouts", 2, (dice) => [few(dice, () => request(dice))]],
  ["startRollout", 2, (dice) => [request(dice)]],
  ["dequeueRollout", 10, (dice) => [claim(dice)]],
  ["dequeueManyRollouts", 2, (dice) => [claim(dice)]],
  [
    "startAttempt",
    2,
    (dice, met) => [id(dice, met), fields(dice, { workerId: () => "w", idempotencyKey: () => oddText(dice) }, 0.4)],
  ],
  [
    "updateRollout",
    3,
    (dice, met) => [
      id(dice, met),
      fields(
        dice,
        {
          input: () => anyJson(dice),
          mode: () => dice.of([null, ...rolloutModes]),
          resourcesId: () => null,
          status: () => dice.of(rolloutStatuses),
          config: () => config(dice),
          metadata: () => anyJson(dice),
        },
        0.2,
      ),
    ],
  ],
  [
    "updateAttempt",
    4,
    (dice, met) => [
      ...ids(dice, met),
      fields(
        dice,
        {
          status: () => dice.of(attemptStatuses),
          workerId: () => oddText(dice),
          lastHeartbeatTimeMs: () => oddNumber(dice),
          metadata: () => anyJson(dice),
        },
        0.4,
      ),
    ],
  ],
  [
    "reportAttempt",
    8,
    (dice, met) => [
      ...ids(dice, met),
      fields(
        dice,
        {
          status: () => dice.of(["succeeded", "failed", "timeout", "unresponsive"]),
          error: () => oddText(dice),
          endReason: () => oddText(dice),
          droppedSpans: () => count(dice),
        },
        0.6,
      ),
    ],
  ],
  ["releaseAttempt", 3, (dice, met) => [...ids(dice, met), fields(dice, { reason: () => oddText(dice) }, 0.5)]],
  ["renewLease", 4, (dice, met) => [...ids(dice, met), fields(dice, { leaseMs: () => duration(dice) }, 0.9)]],
  ["heartbeatAttempt", 4, (dice, met) => ids(dice, met)],
  ["getRolloutById", 4, (dice, met) => [id(dice, met)]],
  [
    "queryRollouts",
    0.2,
    (dice, met) => [
      paged(dice, ["rolloutId", "startTimeMs", "status", "mode"], {
        statusIn: () => few(dice, () => dice.of(rolloutStatuses)),
        rolloutIdIn: () => few(dice, () => id(dice, met)),
        rolloutIdContains: () => oddText(dice),
      }),
    ],
  ],
  ["queryAttempts", 3, (dice, met) => [id(dice, met), paged(dice, ["sequenceId", "status"], {})]],
  ["getLatestAttempt", 3, (dice, met) => [id(dice, met)]],
  [
    "waitForRollouts",
    2,
    (dice, met) => [
      few(dice, () => id(dice, met)),
      dice.chance(0.5)
        ? { timeoutMs: 0 }
        : { timeoutMs: dice.of([-1, 0.1, Number.NaN, "1", null]), signal: dice.chance(0.5) ? aborted() : undefined },
    ],
  ],
  [
    "watchRollouts",
    1,
    (dice) => [fields(dice, { since: () => (dice.chance(0.5) ? "0" : oddText(dice)), signal: aborted }, 0.5)],
  ],
  ["addSpan", 16, (dice, met) => [span(dice, met)]],
  ["addManySpans", 3, (dice, met) => [few(dice, () => span(dice, met))]],
  ["getNextSpanSequenceId", 2, (dice, met) => ids(dice, met)],
  ["getManySpanSequenceIds", 2, (dice, met) => [few(dice, () => mostly(dice, () => ids(dice, met)))]],
  [
    "querySpans",
    4,
    (dice, met) => [
      id(dice, met),
      paged(dice, ["sequenceId", "name", "startTimeMs"], {
        attemptId: () => met.pair(dice)[1],
        name: () => oddText(dice),
        traceIdContains: () => oddText(dice),
        parentId: () => oddText(dice),
      }),
    ],
  ],
  ["addResources", 0.5, (dice) => [resources(dice), fields(dice, { idempotencyKey: () => oddText(dice) }, 0.5)]],
  [
    "updateResources",
    2,
    (dice) => [
      mostly(dice, () => short(dice, "rs")),
      resources(dice),
      fields(dice, { expectedVersion: () => count(dice), idempotencyKey: () => oddText(dice) }, 0.3),
    ],
  ],
  ["getResourcesById", 1, (dice) => [mostly(dice, () => short(dice, "rs"))]],
  ["getLatestResources", 1, () => []],
  [
    "queryResources",
    0.5,
    (dice) => [
      paged(dice, ["resourcesId", "version"], {
        resourcesId: () => short(dice, "rs"),
        resourcesIdContains: () => oddText(dice),
      }),
    ],
  ],
  [
    "updateWorker",
    2,
    (dice) => [mostly(dice, () => short(dice, "worker")), fields(dice, { heartbeatStats: () => anyJson(dice) }, 0.5)],
  ],
  ["getWorkerById", 1, (dice) => [mostly(dice, () => short(dice, "worker"))]],
  [
    "queryWorkers",
    0.5,
    (dice) => [
      paged(dice, ["workerId", "status"], {
        statusIn: () => few(dice, () => dice.of(workerStatuses)),
        workerIdContains: () => oddText(dice),
      }),
    ],
  ],
  ["statistics", 0.5, () => []],
];
const totalWeight = calls.reduce((sum, [, weight]) => sum + weight, 0);

/** The next call. */
export function nextCall(dice: Dice, met: Acquaintances): FuzzCall {
  let rest = dice.roll() * totalWeight;
  for (const [method, weight, make] of calls) {
    rest -= weight;
    if (rest < 0) return { method, args: make(dice, met) };
  }
  return { method: "statistics", args: [] };
}
