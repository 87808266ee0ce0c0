import type { AttemptedRollout, DequeueManyOptions, Runtime } from "@agentlightning/core";
import {
  beginAttempt,
  isLiveAttemptStatus,
  latestAttempt,
  presentAttempted,
  type RolloutRecord,
} from "@agentlightning/core/lifecycle";
import type { ChangeFeed } from "./change-feed.ts";
import type { StoreDriver } from "./driver.ts";
import { startWait, type Wait } from "./signal-wait.ts";
import type { Sweeper } from "./sweeper.ts";
import type { Transitions } from "./transitions.ts";
import { checkId, checkNumber } from "./validate.ts";
import type { WorkerBook } from "./worker-book.ts";

interface Parts {
  readonly driver: StoreDriver;
  readonly transitions: Transitions;
  readonly workers: WorkerBook;
  readonly sweeper: Sweeper;
  readonly feed: ChangeFeed;
  readonly runtime: Runtime;
}

/** Hands out work: claims, and lets those wait who find none, in the order they came. */
export class ClaimDesk {
  readonly #parts: Parts;
  readonly #waiting = new Set<Wait>();
  readonly #stop: () => void;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#stop = parts.feed.listen((change) => {
      if (change.queued) this.#wakeOne();
    });
  }

  /** One waiter for each rollout that was queued: more would only find nothing. */
  #wakeOne(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    this.#waiting.delete(first);
    first.wake();
  }

  async claim(options: DequeueManyOptions): Promise<readonly AttemptedRollout[]> {
    const limit = options.limit ?? 1;
    const workerId = options.workerId === undefined ? undefined : checkId(options.workerId, "workerId");
    if (options.leaseMs !== undefined) checkNumber(options.leaseMs, "leaseMs", 1, false);
    const waitMs = checkNumber(
      options.waitMs === Number.POSITIVE_INFINITY ? Number.MAX_SAFE_INTEGER : (options.waitMs ?? 0),
      "waitMs",
      0,
      false,
    );
    const { clock } = this.#parts.runtime;
    const untilMs = clock.monotonicMs() + waitMs;
    let askedBefore = false;
    for (;;) {
      const restMs = untilMs - clock.monotonicMs();
      // Registered before looking, so that what is queued in between wakes it.
      const wait =
        restMs > 0 && limit > 0 && options.signal?.aborted !== true
          ? startWait(clock, restMs, options.signal)
          : undefined;
      if (wait !== undefined) this.#waiting.add(wait);
      let claimed: readonly AttemptedRollout[];
      try {
        claimed =
          limit > 0 && options.signal?.aborted !== true ? await this.#claimNow({ ...options, limit, workerId }) : [];
        if (claimed.length === 0 && workerId !== undefined && !askedBefore) {
          await this.#parts.workers.foundNothing(workerId, clock.nowMs());
          askedBefore = true;
        }
      } catch (cause) {
        this.#leave(wait);
        throw cause;
      }
      if (claimed.length > 0 || wait === undefined) {
        this.#leave(wait);
        return claimed;
      }
      const how = await wait.ended;
      const wasWoken = !this.#waiting.delete(wait);
      if (how === "woken") continue;
      if (wasWoken) this.#wakeOne();
      return [];
    }
  }

  /** Ends a wait that is not needed; a wake that came meanwhile goes to the next in line. */
  #leave(wait: Wait | undefined): void {
    if (wait === undefined) return;
    const wasWoken = !this.#waiting.delete(wait);
    wait.cancel();
    if (wasWoken) this.#wakeOne();
  }

  async #claimNow(options: DequeueManyOptions & { readonly limit: number }): Promise<readonly AttemptedRollout[]> {
    const { driver, transitions, workers, sweeper, runtime } = this.#parts;
    await sweeper.catchUp();
    const { limit, workerId, leaseMs, requestId } = options;
    if (requestId !== undefined) {
      const held = (await driver.findClaims(requestId)).filter((record) => isHeldBy(record, requestId));
      if (held.length > 0) return held.map(presentAttempted);
    }
    const context = transitions.context();
    const records = await driver.claimRollouts(
      limit,
      (record) =>
        beginAttempt(record, { attemptId: runtime.ids.attemptId(), workerId, leaseMs, requestId }, context).record,
    );
    if (records.length === 0) return [];
    await sweeper.reset();
    const last = latestAttempt(records.at(-1) as RolloutRecord);
    if (workerId !== undefined && last !== undefined) {
      await workers.apply(
        [{ kind: "busy", workerId, rolloutId: last.rolloutId, attemptId: last.attemptId }],
        context.nowMs,
        true,
      );
    }
    return records.map(presentAttempted);
  }

  /** Ends every wait. */
  close(): void {
    this.#stop();
    for (const wait of this.#waiting) wait.end("closed");
    this.#waiting.clear();
  }
}

function isHeldBy(record: RolloutRecord, requestId: string): boolean {
  const attempt = latestAttempt(record);
  return attempt?.requestId === requestId && isLiveAttemptStatus(attempt.status);
}
