import { type AttemptedRollout, type DequeueManyOptions, LightningError } from "@agentlightning/core";
import {
  beginAttempt,
  isLiveAttemptStatus,
  latestAttempt,
  presentAttempted,
  type RolloutRecord,
} from "@agentlightning/core/lifecycle";
import { type Awaitable, chain } from "./awaitable.ts";
import type { ChangeFeed } from "./change-feed.ts";
import type { RecordChange } from "./driver.ts";
import type { StoreParts } from "./parts.ts";
import { startWait, type Wait } from "./signal-wait.ts";
import { checkNumber, checkObject, checkOptionalId, checkSignal } from "./validate.ts";
import { foundNothingPatch, workerWrites } from "./worker-writes.ts";

interface Claim {
  readonly limit: number;
  readonly workerId: string | undefined;
  readonly leaseMs: number | undefined;
  readonly requestId: string | undefined;
  /** Infinite: as long as it takes. */
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
}

interface Claimed {
  readonly rollouts: readonly AttemptedRollout[];
  /** The request had won before: what it still holds is all it gets. */
  readonly isRepeat: boolean;
}

const nothing: Claimed = { rollouts: [], isRepeat: false };

function resolveClaim(options: DequeueManyOptions): Claim {
  const { limit = 1, waitMs = 0, leaseMs, signal } = checkObject(options, "options");
  return {
    limit: checkNumber(limit, "limit", Number.NEGATIVE_INFINITY, true),
    workerId: checkOptionalId(options.workerId, "workerId"),
    leaseMs: leaseMs === undefined ? undefined : checkNumber(leaseMs, "leaseMs", 1, false),
    requestId: checkOptionalId(options.requestId, "requestId"),
    waitMs: waitMs === Number.POSITIVE_INFINITY ? waitMs : checkNumber(waitMs, "waitMs", 0, false),
    signal: checkSignal(signal),
  };
}

/** Hands out work: claims, and lets those wait who find none, in the order they came. */
export class ClaimDesk {
  readonly #parts: StoreParts;
  readonly #feed: ChangeFeed;
  readonly #waiting = new Set<Wait>();
  readonly #stop: () => void;
  #closed = false;

  constructor(parts: StoreParts, feed: ChangeFeed) {
    this.#parts = parts;
    this.#feed = feed;
    this.#stop = feed.listen((change) => {
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

  claim(options: DequeueManyOptions): Awaitable<readonly AttemptedRollout[]> {
    const claim = resolveClaim(options);
    if (claim.waitMs > 0) return this.#claimOrWait(claim);
    return chain(this.#look(claim, true), ({ rollouts }) => rollouts);
  }

  async #claimOrWait(claim: Claim): Promise<readonly AttemptedRollout[]> {
    const release = this.#feed.attend();
    try {
      return await this.#claimUntil(claim, this.#parts.runtime.clock.monotonicMs() + claim.waitMs);
    } finally {
      release();
    }
  }

  async #claimUntil(claim: Claim, untilMs: number): Promise<readonly AttemptedRollout[]> {
    const { clock } = this.#parts.runtime;
    for (let isFirst = true; ; isFirst = false) {
      if (this.#closed) throw new LightningError({ code: "closed", message: "this store handle was closed" });
      const restMs = untilMs - clock.monotonicMs();
      const mayWait = restMs > 0 && claim.limit > 0 && claim.signal?.aborted !== true;
      // Registered before looking, so that what is queued in between wakes it.
      const wait = mayWait ? startWait(clock, restMs, claim.signal) : undefined;
      if (wait !== undefined) this.#waiting.add(wait);
      let claimed: Claimed;
      try {
        claimed = await this.#look(claim, isFirst);
      } catch (cause) {
        this.#leave(wait, "woken");
        if (!isFirst) this.#wakeOne();
        throw cause;
      }
      // What was won is given even if the signal was aborted meanwhile: it would be lost otherwise.
      if (claimed.rollouts.length > 0 || claimed.isRepeat || wait === undefined) {
        this.#leave(wait, "woken");
        return claimed.rollouts;
      }
      const how = await wait.ended;
      if (how === "woken") {
        if (claim.signal?.aborted !== true) continue;
        // Woken and aborted in one turn: the work it was woken for is the next one's.
        this.#wakeOne();
        return [];
      }
      this.#leave(wait, how);
      if (how === "closed") continue;
      return [];
    }
  }

  /** Ends a wait; a wake that it was given and does not use goes to the next in line. */
  #leave(wait: Wait | undefined, how: "woken" | "timeout" | "aborted" | "closed"): void {
    if (wait === undefined) return;
    const wasWoken = !this.#waiting.delete(wait);
    wait.end(how);
    if (wasWoken) this.#wakeOne();
  }

  #look(claim: Claim, isFirst: boolean): Awaitable<Claimed> {
    const { driver, sweeper, runtime } = this.#parts;
    const { workerId } = claim;
    const mayClaim = claim.limit > 0 && claim.signal?.aborted !== true;
    return chain(mayClaim ? chain(sweeper.catchUp(), () => this.#take(claim)) : nothing, (claimed) => {
      if (!isFirst || claimed.rollouts.length > 0 || workerId === undefined) return claimed;
      const nowMs = runtime.clock.nowMs();
      return chain(
        driver.patchWorker(workerId, (known) => foundNothingPatch(known, nowMs)),
        () => claimed,
      );
    });
  }

  #take({ limit, workerId, leaseMs, requestId }: Claim): Awaitable<Claimed> {
    const { driver, transitions, sweeper, runtime } = this.#parts;
    const context = transitions.context();
    const begin = (record: RolloutRecord): RecordChange => {
      const attempt = { attemptId: runtime.ids.attemptId(), workerId, leaseMs, requestId };
      const begun = beginAttempt(record, attempt, context);
      return { record: begun.record, workers: workerWrites(begun.workers, context.nowMs, true) };
    };
    return chain(driver.claimRollouts({ limit, requestId }, begin), ({ records, isRepeat }) => {
      if (records.length === 0 && !isRepeat) return nothing;
      const held = isRepeat ? records.filter((record) => isHeldBy(record, requestId)) : records;
      return chain(sweeper.reset(), () => ({ rollouts: held.map(presentAttempted), isRepeat }));
    });
  }

  /** Ends every wait. */
  close(): void {
    this.#closed = true;
    this.#stop();
    for (const wait of this.#waiting) wait.end("closed");
    this.#waiting.clear();
  }
}

function isHeldBy(record: RolloutRecord, requestId: string | undefined): boolean {
  const attempt = latestAttempt(record);
  return attempt !== undefined && attempt.requestId === requestId && isLiveAttemptStatus(attempt.status);
}
