import { type AttemptStatus, attemptStatuses } from "../attempt.ts";
import { type RolloutStatus, rolloutStatuses } from "../rollout.ts";
import { isLiveAttemptStatus, isQueuedStatus, isTerminalStatus } from "./status.ts";

/**
 * A transition as data, for engines that run it themselves: a driver translates it to its own language instead of
 * writing the rule a second time. The pure function of the same name says what the result must be.
 */
export interface TransitionRule {
  /** The write applies only to a record for which all of this holds. */
  readonly guard: {
    readonly rolloutStatusIn?: readonly RolloutStatus[];
    /** Status of the latest attempt, which also has to be the one that is named. */
    readonly latestAttemptStatusIn?: readonly AttemptStatus[];
  };
  /** Fields of the rollout that get a value. */
  readonly set: { readonly status?: RolloutStatus };
  /** Fields of the latest attempt that get a value given with the call. */
  readonly setLatestAttempt: readonly ("lastHeartbeatTimeMs" | "leaseExpiresAtMs")[];
  /** Fields that are removed. */
  readonly unset: readonly ("endTimeMs" | "queuePosition")[];
  /** Whether a new attempt is appended. */
  readonly pushesAttempt: boolean;
  readonly increment: { readonly revision: 0 | 1 };
}

/** {@link beginAttempt} as a claim makes it. */
export const claimTransition: TransitionRule = {
  guard: { rolloutStatusIn: rolloutStatuses.filter(isQueuedStatus) },
  set: { status: "preparing" },
  setLatestAttempt: [],
  unset: ["endTimeMs", "queuePosition"],
  pushesAttempt: true,
  increment: { revision: 1 },
};

/** {@link renew} of a live attempt; moves no revision. */
export const renewTransition: TransitionRule = {
  guard: {
    rolloutStatusIn: rolloutStatuses.filter((status) => !isTerminalStatus(status)),
    latestAttemptStatusIn: attemptStatuses.filter(isLiveAttemptStatus),
  },
  set: {},
  setLatestAttempt: ["lastHeartbeatTimeMs", "leaseExpiresAtMs"],
  unset: [],
  pushesAttempt: false,
  increment: { revision: 0 },
};

/** A span that moves no status: only the heartbeat of the latest attempt. */
export const spanTransition: TransitionRule = { ...renewTransition, setLatestAttempt: ["lastHeartbeatTimeMs"] };
