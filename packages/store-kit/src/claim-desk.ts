import { type AttemptedRollout, type DequeueManyOptions, LightningError } from "@agentlightning/core";
import {
  beginAttempt,
  isLiveAttemptStatus,
  latestAttempt,
  presentAttempted,
  type RolloutRecord,
} from "@agentlightning/core/lifecycle";
import type { ChangeFeed } from "./change-feed.ts";
import type { StoreParts } from "./parts.ts";
import { startWait, type Wait } from "./signal-wait.ts";
import { checkNumber, checkOptionalId } from "./validate.ts";

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

function resolveClaim(options: DequeueManyOptions): Claim {
  const { limit = 1, waitMs = 0, leaseMs, signal } = options;
  return {
    limit: checkNumber(limit, "limit", Number.NEGATIVE_INFINITY, true),
    workerId: checkOptionalId(options.workerId, "workerId"),
    leaseMs: leaseMs === undefined ? undefined : checkNumber(leaseMs, "leaseMs", 1, false),
    requestId: checkOptionalId(options.requestId, "requestId"),
    waitMs: waitMs === Number.POSITIVE_INFINITY ? waitMs : checkNumber(waitMs, "waitMs", 0, false),
    signal,
  };
}

/** Hands out work: claims, and lets those wait who find none, in the order they came. */
export class ClaimDesk {
  readonly #parts: StoreParts;
  readonly #waiting = new Set<Wait>();
  readonly #requests = new Map<string, Promise<unknown>>();
  readonly #stop: () => void;
  #closed = false;

  constructor(parts: StoreParts, feed: ChangeFeed) {
    this.#parts = parts;
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

  async claim(options: DequeueManyOptions): Promise<readonly AttemptedRollout[]> {
    const claim = resolveClaim(options);
    const { clock } = this.#parts.runtime;
    const untilMs = clock.monotonicMs() + claim.waitMs;
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
        throw cause;
      }
      // What was won is given even if the signal was aborted meanwhile: it would be lost otherwise.
      if (claimed.rollouts.length > 0 || claimed.isRepeat || wait === undefined) {
        this.#leave(wait, "woken");
        return claimed.rollouts;
      }
      const how = await wait.ended;
      if (how === "woken") continue;
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

  async #look(claim: Claim, isFirst: boolean): Promise<Claimed> {
    const { workers, runtime } = this.#parts;
    const claimed =
      claim.limit > 0 && claim.signal?.aborted !== true
        ? await this.#inTurn(claim, () => this.#claimNow(claim))
        : { rollouts: [], isRepeat: false };
    if (isFirst && claimed.rollouts.length === 0 && claim.workerId !== undefined) {
      await workers.foundNothing(claim.workerId, runtime.clock.nowMs());
    }
    return claimed;
  }

  /** Claims of the same request one after another: two at once would both find that it holds nothing. */
  async #inTurn({ requestId }: Claim, claim: () => Promise<Claimed>): Promise<Claimed> {
    if (requestId === undefined) return claim();
    const before = this.#requests.get(requestId);
    const mine = before === undefined ? claim() : before.then(claim, claim);
    this.#requests.set(requestId, mine);
    try {
      return await mine;
    } finally {
      if (this.#requests.get(requestId) === mine) this.#requests.delete(requestId);
    }
  }

  async #claimNow({ limit, workerId, leaseMs, requestId }: Claim): Promise<Claimed> {
    const { driver, transitions, workers, sweeper, runtime } = this.#parts;
    await sweeper.catchUp();
    if (requestId !== undefined) {
      const won = await driver.findClaims(requestId);
      const held = won.filter((record) => isHeldBy(record, requestId));
      if (won.length > 0) return { rollouts: held.map(presentAttempted), isRepeat: true };
    }
    const context = transitions.context();
    const records = await driver.claimRollouts(
      limit,
      (record) =>
        beginAttempt(record, { attemptId: runtime.ids.attemptId(), workerId, leaseMs, requestId }, context).record,
    );
    const last = records.at(-1);
    const attempt = last === undefined ? undefined : latestAttempt(last);
    if (attempt === undefined) return { rollouts: [], isRepeat: false };
    await sweeper.reset();
    if (workerId !== undefined) {
      const { rolloutId, attemptId } = attempt;
      await workers.apply([{ kind: "busy", workerId, rolloutId, attemptId }], context.nowMs, true);
    }
    return { rollouts: records.map(presentAttempted), isRepeat: false };
  }

  /** Ends every wait. */
  close(): void {
    this.#closed = true;
    this.#stop();
    for (const wait of this.#waiting) wait.end("closed");
    this.#waiting.clear();
  }
}

function isHeldBy(record: RolloutRecord, requestId: string): boolean {
  const attempt = latestAttempt(record);
  return attempt?.requestId === requestId && isLiveAttemptStatus(attempt.status);
}
