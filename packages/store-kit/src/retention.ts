import { LightningError, type Runtime } from "@agentlightning/core";
import { isTerminalStatus } from "@agentlightning/core/lifecycle";
import { type Awaitable, chain } from "./awaitable.ts";
import type { DriverChange, StoreDriver } from "./driver.ts";
import { type RetentionBounds, type RetentionOptions, resolveRetention } from "./retention-options.ts";
import { RetentionOrder } from "./retention-order.ts";

const release = (): void => undefined;
/** How many finished rollouts are read at once when a handle opens a store that has some. */
const pageLength = 1_000;

/**
 * Drops finished rollouts that are past the bounds, but none that somebody of this handle has yet to be told of. A
 * dropped id is remembered for a while, to tell "dropped" from "never seen".
 */
export class Retention {
  readonly #driver: StoreDriver;
  readonly #runtime: Runtime;
  readonly #bounds: RetentionBounds | undefined;
  readonly #order: RetentionOrder | undefined;
  /** Rollouts that changed while those of before were being read: what is read of them is out of date. */
  #changed: Set<string> | undefined;
  /** Being dropped by an engine that takes its time. */
  #dropping: Promise<void> | undefined;

  /** @throws invalid_options */
  constructor(driver: StoreDriver, options: RetentionOptions | undefined, runtime: Runtime) {
    this.#driver = driver;
    this.#runtime = runtime;
    this.#bounds = resolveRetention(options);
    if (this.#bounds === undefined) return;
    this.#order = new RetentionOrder(this.#bounds);
    this.#changed = new Set();
    this.#dropping = this.#load(0);
  }

  /** Learns of what had finished before this handle was opened. */
  async #load(offset: number): Promise<void> {
    const page = await this.#driver.queryRollouts({
      statusIn: ["succeeded", "failed", "cancelled"],
      sortBy: "endTimeMs",
      limit: pageLength,
      offset,
    });
    for (const { rollout } of page.items) {
      if (this.#changed?.has(rollout.rolloutId) !== true) this.#order?.note(rollout.rolloutId, rollout.endTimeMs);
    }
    if (page.items.length === pageLength) return this.#load(offset + pageLength);
    this.#changed = undefined;
    this.#dropping = undefined;
    return this.prune();
  }

  /** Notes a change that was stored, and drops what is past the bounds by now. */
  follow({ rolloutId, status, endTimeMs }: DriverChange): void {
    if (this.#order === undefined) return;
    this.#changed?.add(rolloutId);
    this.#order.note(rolloutId, isTerminalStatus(status) ? endTimeMs : undefined);
    void this.prune();
  }

  /** Whether the spans together may take only so much. */
  get boundsSpanBytes(): boolean {
    return this.#bounds !== undefined && this.#bounds.maxTotalSpanBytes !== Number.POSITIVE_INFINITY;
  }

  /** Whether this handle dropped the rollout, as far as it remembers. */
  hasDropped(rolloutId: string): boolean {
    return this.#order?.wasDropped(rolloutId) === true;
  }

  /** Keeps a rollout until released; the release is idempotent. */
  hold(rolloutId: string): () => void {
    return this.#order?.hold(rolloutId) ?? release;
  }

  /** Drops what is past the bounds; a comparison or two when nothing is. */
  prune(): Awaitable<void> {
    const order = this.#order;
    if (order === undefined || this.#dropping !== undefined) return undefined;
    const nowMs = this.#runtime.clock.nowMs();
    for (let next = order.nextToDrop(nowMs); next !== undefined; next = order.nextToDrop(nowMs)) {
      const dropped = this.#drop(next);
      if (dropped instanceof Promise) return this.#goOnAfter(dropped);
    }
    return undefined;
  }

  /** One after another where the engine takes its time; what fails is tried again with the next change. */
  #goOnAfter(dropped: Promise<void>): void {
    this.#dropping = dropped.then(
      () => this.#resume(),
      () => void (this.#dropping = undefined),
    );
  }

  #resume(): Awaitable<void> {
    this.#dropping = undefined;
    return this.prune();
  }

  #drop(rolloutId: string): Awaitable<void> {
    return chain(this.#driver.dropRollouts([rolloutId]), () => this.#order?.forget(rolloutId));
  }

  /** Drops finished rollouts until spans of this size fit. @throws store_full */
  makeRoom(bytes: number, writtenTo: ReadonlySet<string>): Awaitable<void> {
    const most = this.#bounds?.maxTotalSpanBytes ?? Number.POSITIVE_INFINITY;
    return chain(this.#driver.counts(), ({ spanBytes = 0 }) => {
      if (spanBytes + bytes <= most) return undefined;
      for (const rolloutId of this.#order?.droppable() ?? []) {
        if (writtenTo.has(rolloutId)) continue;
        return chain(this.#drop(rolloutId), () => this.makeRoom(bytes, writtenTo));
      }
      throw new LightningError({
        code: "store_full",
        message: `${spanBytes} bytes of spans belong to rollouts that have not finished; the bound is ${most}. Let them finish, or raise retention.maxTotalSpanBytes`,
      });
    });
  }

  /** Resolves when nothing is being dropped. */
  async settle(): Promise<void> {
    while (this.#dropping !== undefined) await this.#dropping;
  }
}
