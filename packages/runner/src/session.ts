import { setImmediate as nextTurn } from "node:timers/promises";
import type { AttemptedRollout, LightningStore, TimerHandle } from "@agentlightning/core";
import { abortReason } from "./abort-cause.ts";
import { AttemptExecution } from "./attempt-execution.ts";
import type { AttemptEnvironment } from "./attempt-environment.ts";
import { Claims } from "./claims.ts";
import { errorText } from "./error-text.ts";
import { LeaseKeeper } from "./lease-keeper.ts";
import { reportEnd } from "./report-end.ts";
import { RunningAttempt } from "./running-attempt.ts";
import { type RunnerSummary, SummaryCounter } from "./summary.ts";

/** Longest delay of a timer: keeps an idle runner's process alive. */
const keepAliveMs = 2 ** 31 - 1;

/** One `run` of a runner, from the first claim to the last report. */
export class Session {
  readonly #environment: AttemptEnvironment;
  readonly #store: LightningStore;
  readonly #hurry: AbortController;
  readonly #claims: Claims;
  readonly #running = new Set<RunningAttempt>();
  readonly #counter = new SummaryCounter();
  readonly #timers: TimerHandle[] = [];
  readonly #warnUnbounded: () => void;
  #claimsLeft: number;
  #draining = false;

  constructor(environment: AttemptEnvironment, hurry: AbortController) {
    const { options } = environment;
    this.#environment = environment;
    this.#store = options.store;
    this.#hurry = hurry;
    this.#claims = new Claims(options);
    this.#claimsLeft = options.maxRollouts;
    this.#warnUnbounded = () =>
      environment.warnOnce(
        "unbounded",
        "a rollout has neither timeoutMs nor unresponsiveMs: an agent that awaits for ever would hold its slot",
      );
  }

  /** Serves until {@link Session.drain}, `maxRollouts`, or a store that stays away. @throws what ended the first slot that failed */
  async run(): Promise<RunnerSummary> {
    const { concurrency, runnerId, runtime } = this.#environment.options;
    const startedMs = runtime.clock.monotonicMs();
    const alive = runtime.clock.setTimer(() => undefined, keepAliveMs);
    const slots = Array.from({ length: concurrency }, (_, slot) => this.#serve(`${runnerId}-${slot}`));
    try {
      await Promise.all(slots);
    } catch (error) {
      this.drain(0);
      await Promise.allSettled(slots);
      throw error;
    } finally {
      alive.cancel();
      for (const timer of this.#timers) timer.cancel();
    }
    return this.#counter.summary(runnerId, runtime.clock.monotonicMs() - startedMs);
  }

  /** No new claims; agents may finish within `graceMs`, are then aborted, and their rollouts handed back. Idempotent. */
  drain(graceMs: number): void {
    if (this.#draining) return;
    this.#draining = true;
    const { clock } = this.#environment.options.runtime;
    const { flushTimeoutMs } = this.#environment.options;
    this.#claims.stop();
    this.#timers.push(clock.setTimer(() => this.#claims.giveUp(), flushTimeoutMs));
    this.#timers.push(clock.setTimer(() => this.#abortRunning(), graceMs));
  }

  #abortRunning(): void {
    for (const running of this.#running) running.abort({ kind: "shutdown" });
    const { settleMs, flushTimeoutMs, runtime } = this.#environment.options;
    // From here on a store that is away is not waited for: leases bring back what could not be handed back.
    this.#timers.push(runtime.clock.setTimer(() => this.#hurry.abort(), settleMs + flushTimeoutMs));
  }

  async #serve(workerId: string): Promise<void> {
    await this.#register(workerId);
    // The end of one attempt (its last spans, its report) goes on while the slot's next agent runs, one at a time.
    let finishing: Promise<void> = Promise.resolve();
    try {
      while (!this.#draining && this.#claimsLeft > 0) {
        this.#claimsLeft -= 1;
        const claim = await this.#claims.next(workerId);
        if (claim === undefined) break;
        // Attempts that never leave the microtask queue would keep timers and process signals from being served: each
        // lasts at least one turn of the event loop. One that waits for anything has had its turn.
        const turn = nextTurn();
        if (this.#draining) await this.#handBack(claim);
        else {
          const agentOver = Promise.withResolvers<void>();
          const ended = this.#execute(claim, agentOver.resolve);
          await Promise.race([agentOver.promise, ended]);
          await finishing;
          finishing = ended;
        }
        await turn;
      }
    } finally {
      await finishing;
    }
  }

  async #register(workerId: string): Promise<void> {
    const { runnerId, logger } = this.#environment.options;
    try {
      await this.#store.updateWorker(workerId, { heartbeatStats: { runnerId } });
    } catch (error) {
      logger.debug(`worker ${workerId} could not be registered: ${errorText(error)}`);
    }
  }

  /** A claim that arrived after the stop was asked for. */
  async #handBack(claim: AttemptedRollout): Promise<void> {
    const { options, hurry } = this.#environment;
    const running = new RunningAttempt(claim);
    const error = errorText(abortReason({ kind: "shutdown" }, running));
    const outcome = await reportEnd(
      running,
      { outcome: "released", error, droppedSpans: 0 },
      { options, log: options.logger, hurry },
    );
    this.#counter.add({ outcome, abandoned: false, droppedSpans: 0 });
  }

  async #execute(claim: AttemptedRollout, onAgentOver: () => void): Promise<void> {
    const { options, registry } = this.#environment;
    const running = new RunningAttempt(claim);
    const { timeoutMs, unresponsiveMs } = claim.config;
    if (timeoutMs === undefined && unresponsiveMs === undefined) this.#warnUnbounded();
    const execution = new AttemptExecution(running, this.#environment);
    this.#running.add(running);
    registry.add(running);
    const lease = new LeaseKeeper({
      store: this.#store,
      claim,
      leaseMs: options.leaseMs,
      maxBlockedMs: options.maxBlockedMs,
      runtime: options.runtime,
      log: execution.log,
      onLost: (cause) => running.abort(cause),
    });
    try {
      this.#counter.add(await execution.run(onAgentOver));
    } finally {
      lease.stop();
      registry.delete(running);
      this.#running.delete(running);
    }
  }
}
