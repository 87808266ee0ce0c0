import type { JsonObject, Worker } from "@agentlightning/core";
import type { WorkerEffect } from "@agentlightning/core/lifecycle";
import { type Awaitable, chainEach } from "./awaitable.ts";
import type { StoreDriver } from "./driver.ts";

/** Keeps the workers' records in step with the attempts they hold. */
export class WorkerBook {
  readonly #driver: StoreDriver;

  constructor(driver: StoreDriver) {
    this.#driver = driver;
  }

  /** Writes what transitions mean for workers; a worker that has moved on to another attempt is left alone. */
  apply(effects: readonly WorkerEffect[], nowMs: number, dequeued: boolean = false): Awaitable<void> {
    return chainEach(effects, (effect) => this.#apply(effect, nowMs, dequeued));
  }

  #apply(effect: WorkerEffect, nowMs: number, dequeued: boolean): Awaitable<Worker> {
    if (effect.kind === "busy") {
      const { rolloutId: currentRolloutId, attemptId: currentAttemptId } = effect;
      const busy = { status: "busy" as const, currentRolloutId, currentAttemptId, lastBusyTimeMs: nowMs };
      return this.#driver.patchWorker(effect.workerId, {
        set: dequeued ? { ...busy, lastDequeueTimeMs: nowMs } : busy,
      });
    }
    return this.#driver.patchWorker(effect.workerId, {
      set: { status: effect.kind, lastIdleTimeMs: nowMs },
      clearCurrent: true,
      onlyIfAttemptId: effect.attemptId,
    });
  }

  /** Registers a worker or stamps its heartbeat; statistics replace the former ones. */
  async heartbeat(workerId: string, stats: JsonObject | undefined, nowMs: number): Promise<Worker> {
    const set = { lastHeartbeatTimeMs: nowMs, ...(stats === undefined ? {} : { heartbeatStats: stats }) };
    return this.#driver.patchWorker(workerId, { set });
  }

  /** A worker asked for work and there was none. One that holds an attempt stays busy. */
  async foundNothing(workerId: string, nowMs: number): Promise<Worker> {
    const known = await this.#driver.readWorker(workerId);
    const set =
      known === undefined || (known.status !== "idle" && known.currentAttemptId === undefined)
        ? { status: "idle" as const, lastIdleTimeMs: nowMs, lastDequeueTimeMs: nowMs }
        : { lastDequeueTimeMs: nowMs };
    return this.#driver.patchWorker(workerId, { set });
  }
}
