import type { RolloutStatus } from "@agentlightning/core";
import type { BaselineProgress } from "./options.ts";
import { Tally } from "./tally.ts";

/** A rollout of this run that has not ended. */
export interface Outstanding {
  readonly mode: "train" | "val";
  status: RolloutStatus;
}

/** What a run knows: who is outstanding, and the counts so far. Bounded by what is outstanding. */
export class RunState {
  readonly outstanding: Map<string, Outstanding> = new Map();
  readonly tallies: Readonly<Record<"train" | "val" | "total", Tally>> = {
    train: new Tally(),
    val: new Tally(),
    total: new Tally(),
  };
  #queued = 0;

  /** How many of ours wait in the queue. */
  get queued(): number {
    return this.#queued;
  }

  /** How many of ours are being run. */
  get running(): number {
    return this.outstanding.size - this.#queued;
  }

  add(rolloutId: string, mode: "train" | "val", status: RolloutStatus): void {
    this.outstanding.set(rolloutId, { mode, status });
    if (isWaiting(status)) this.#queued += 1;
    this.both(mode, (tally) => tally.count("rollouts"));
  }

  /** Notes a status; says whether it moved. */
  move(rolloutId: string, status: RolloutStatus): boolean {
    const entry = this.outstanding.get(rolloutId);
    if (entry === undefined || entry.status === status) return false;
    this.#queued += Number(isWaiting(status)) - Number(isWaiting(entry.status));
    entry.status = status;
    return true;
  }

  /** Takes a rollout out; gives its part of the data. */
  settle(rolloutId: string): "train" | "val" | undefined {
    const entry = this.outstanding.get(rolloutId);
    if (entry === undefined) return undefined;
    if (isWaiting(entry.status)) this.#queued -= 1;
    this.outstanding.delete(rolloutId);
    return entry.mode;
  }

  both(mode: "train" | "val", count: (tally: Tally) => void): void {
    count(this.tallies[mode]);
    count(this.tallies.total);
  }

  progress(): BaselineProgress {
    const { rollouts, ...standing } = this.tallies.total.standing();
    return { submitted: rollouts, queued: this.#queued, running: this.running, ...standing };
  }
}

function isWaiting(status: RolloutStatus): boolean {
  return status === "queuing" || status === "requeuing";
}
