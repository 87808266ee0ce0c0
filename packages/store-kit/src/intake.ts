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
    const fresh = await this.#make(request, (await driver.latestResources())?.resourcesId);
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
      const fresh: RolloutRecord[] = [];
      const made = chainEach(requests, (request) =>
        chain(this.#make(request, latest?.resourcesId), (record) => void fresh.push(record)),
      );
      return chain(made, () => this.#queue(fresh));
    });
  }

  #queue(fresh: readonly RolloutRecord[]): Awaitable<readonly Rollout[]> {
    const { driver, transitions, sweeper } = this.#parts;
    // Places are taken at the end, in one turn: what was prepared for long must not stand before what came earlier.
    const { queuePosition, nowMs } = transitions.context();
    const queued = fresh.map((record) => {
      const { claimWithinMs } = record.rollout.config;
      return {
        ...record,
        queuePosition: queuePosition("tail"),
        queuedTimeMs: nowMs,
        ...(claimWithinMs === undefined ? {} : { nextDeadlineMs: nowMs + claimWithinMs }),
      };
    });
    return chain(driver.insertRollouts(queued, []), (stored) =>
      chain(queued.some(hasDeadline) ? sweeper.reset() : undefined, () => stored.map(presentRollout)),
    );
  }

  /** The record of a request; at once unless an idempotency key has to be hashed. */
  #make(request: RolloutRequest, latestResourcesId: string | undefined): RolloutRecord | Promise<RolloutRecord> {
    const { copyOptions, runtime } = this.#parts;
    const checked = checkRequest(request, copyOptions);
    const resourcesId = checked.resourcesId ?? latestResourcesId;
    const key = checkOptionalId(request.idempotencyKey, "idempotencyKey");
    const record = (rolloutId: string): RolloutRecord => ({
      rollout: Object.freeze({
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
      }),
      attempts: [],
      revision: 0,
      spanCounter: 0,
    });
    return key === undefined ? record(runtime.ids.rolloutId()) : this.#keyed(key, record);
  }

  async #keyed(key: string, record: (rolloutId: string) => RolloutRecord): Promise<RolloutRecord> {
    const rolloutId = await idOfKey("ro", checkId(key, "idempotencyKey"));
    // The work was done once: doing it again because its record was dropped would break the key's promise.
    if (this.#parts.retention.hasDropped(rolloutId)) throw evictedError(rolloutId);
    return record(rolloutId);
  }
}

function hasDeadline(record: RolloutRecord): boolean {
  return record.nextDeadlineMs !== undefined;
}
