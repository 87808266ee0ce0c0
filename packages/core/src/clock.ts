/** A timer that was set; `cancel` is idempotent. */
export interface TimerHandle {
  cancel(): void;
}

/** Time, injected wherever it matters so that tests own it. */
export interface Clock {
  /** Wall clock; epoch milliseconds, fractions to the microsecond. */
  nowMs(): number;
  /** Never goes back; milliseconds from an arbitrary origin. */
  monotonicMs(): number;
  /** Calls back once after `delayMs`. `keepAlive: false` does not keep a process running. @defaultValue keepAlive true */
  setTimer(callback: () => void, delayMs: number, options?: { readonly keepAlive?: boolean }): TimerHandle;
}

/** Makes ids in the reference's format. */
export interface IdGenerator {
  rolloutId(): string;
  attemptId(): string;
  resourcesId(): string;
  /** 32 hex digits. */
  traceId(): string;
  /** 16 hex digits. */
  spanId(): string;
}

/** What a store, runner or bridge takes from its surroundings; for tests and simulation. */
export interface Runtime {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly ids: IdGenerator;
}
