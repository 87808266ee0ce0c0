import {
  type AttemptedRollout,
  InvalidInputError,
  LightningError,
  type Rollout,
  type RolloutRequest,
  type WorkOptions,
} from "@agentlightning/core";
import {
  beginAttempt,
  latestAttempt,
  presentAttempted,
  presentRollout,
  type RolloutRecord,
} from "@agentlightning/core/lifecycle";
import { type Awaitable, chain, chainEach } from "./awaitable.ts";
import { idOfKey } from "./idempotency.ts";
import type { StoreParts } from "./parts.ts";
import { evictedError } from "./transitions.ts";
import { checkId, checkOptionalId, checkRequest } from "./validate.ts";
import { workerWrites } from "./worker-writes.ts";

/** Takes new rollouts in. */
export class Intake {
  readonly #parts: StoreParts;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  async start(request: RolloutRequest & WorkOptions): Promise<AttemptedRollout> {
    const { driver, transitions, sweeper, runtime } = this.#parts;
    const fresh = newRecord(await this.#make(request, (await driver.latestResources())?.resourcesId));
    const workerId = checkOptionalId(request.workerId, "workerId");
    const context = transitions.context();
    const started = beginAttempt(fresh, { attemptId: runtime.ids.attemptId(), workerId }, context);
    const [stored = started.record] = await driver.insertRollouts(
      [started.record],
      workerWrites(started.workers, context.nowMs),
    );
    if (latestAttempt(stored) === undefined) {
      throw new LightningError({
        code: "conflict",
        message: `idempotencyKey "${request.idempotencyKey}" already stands for a rollout that was enqueued, not started`,
        details: { rolloutId: stored.rollout.rolloutId },
      });
    }
    await sweeper.reset();
    return presentAttempted(stored);
  }

  enqueue(requests: readonly RolloutRequest[]): Awaitable<readonly Rollout[]> {
    if (!Array.isArray(requests)) throw new InvalidInputError({ message: "rollout requests must be given as a list" });
    if (requests.length === 0) return [];
    return chain(this.#parts.driver.latestResources(), (latest) => {
      const fresh: Rollout[] = [];
      const made = chainEach(requests, (request) =>
        chain(this.#make(request, latest?.resourcesId), (rollout) => void fresh.push(rollout)),
      );
      return chain(made, () => this.#queue(fresh));
    });
  }

  #queue(fresh: readonly Rollout[]): Awaitable<readonly Rollout[]> {
    const { driver, transitions, sweeper } = this.#parts;
    // Places are taken at the end, in one turn: what was prepared for long must not stand before what came earlier.
    const { queuePosition, nowMs } = transitions.context();
    const queued = fresh.map((rollout): RolloutRecord => {
      const { claimWithinMs } = rollout.config;
      const waiting = { ...newRecord(rollout), queuePosition: queuePosition("tail"), queuedTimeMs: nowMs };
      return claimWithinMs === undefined ? waiting : { ...waiting, nextDeadlineMs: nowMs + claimWithinMs };
    });
    return chain(driver.insertRollouts(queued, []), (stored) =>
      chain(queued.some(hasDeadline) ? sweeper.reset() : undefined, () => stored.map(presentRollout)),
    );
  }

  /** What a request asks for; at once unless an idempotency key has to be hashed. */
  #make(request: RolloutRequest, latestResourcesId: string | undefined): Awaitable<Rollout> {
    const { copyOptions, runtime } = this.#parts;
    const checked = checkRequest(request, copyOptions);
    const resourcesId = checked.resourcesId ?? latestResourcesId;
    const key = checkOptionalId(request.idempotencyKey, "idempotencyKey");
    const make = (rolloutId: string): Rollout =>
      Object.freeze({
        rolloutId,
        input: checked.input,
        startTimeMs: runtime.clock.nowMs(),
        ...(checked.mode === undefined ? {} : { mode: checked.mode }),
        ...(resourcesId === undefined ? {} : { resourcesId }),
        status: "queuing",
        config: checked.config,
        metadata: checked.metadata,
        lostAttempts: 0,
        ...(key === undefined ? {} : { idempotencyKey: key }),
      });
    return key === undefined ? make(runtime.ids.rolloutId()) : this.#keyed(key, make);
  }

  async #keyed(key: string, make: (rolloutId: string) => Rollout): Promise<Rollout> {
    const rolloutId = await idOfKey("ro", checkId(key, "idempotencyKey"));
    // The work was done once: doing it again because its record was dropped would break the key's promise.
    if (this.#parts.retention.hasDropped(rolloutId)) throw evictedError(rolloutId);
    return make(rolloutId);
  }
}

const noAttempts: RolloutRecord["attempts"] = Object.freeze([]);

function newRecord(rollout: Rollout): RolloutRecord {
  return { rollout, attempts: noAttempts, revision: 0, spanCounter: 0 };
}

function hasDeadline(record: RolloutRecord): boolean {
  return record.nextDeadlineMs !== undefined;
}
