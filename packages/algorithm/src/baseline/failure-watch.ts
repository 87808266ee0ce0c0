import type { RolloutStatus } from "@agentlightning/core";

/** Notices a run that fails from the start, always in the same way. */
export class FailureWatch {
  readonly #limit: number | undefined;
  #message: string | undefined;
  #count = 0;
  #isOver: boolean;

  /** @param limit - How many first rollouts must fail alike. Unset: never. */
  constructor(limit: number | undefined) {
    this.#limit = limit;
    this.#isOver = limit === undefined;
  }

  /** Notes how a rollout ended; gives the message once the first `limit` all failed with it. */
  note(status: RolloutStatus, failure: string | undefined): string | undefined {
    if (this.#isOver) return undefined;
    if (status !== "failed" || failure === undefined || (this.#message !== undefined && this.#message !== failure)) {
      this.#isOver = true;
      return undefined;
    }
    this.#message = failure;
    this.#count += 1;
    if (this.#count < (this.#limit ?? Number.POSITIVE_INFINITY)) return undefined;
    this.#isOver = true;
    return failure;
  }
}
