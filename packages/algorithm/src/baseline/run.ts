import {
  consoleLogger,
  LightningError,
  type Logger,
  type RolloutEvent,
  type RolloutStatus,
} from "@agentlightning/core";
import type { AlgorithmContext } from "../algorithm.ts";
import { collectRollout, explainFailure, type FinishedRollout } from "./collect.ts";
import type { ResolvedBaselineOptions } from "./options.ts";
import { type BaselineOutcome, BaselineReport } from "./report.ts";
import { logFinished } from "./rollout-log.ts";
import { RunState } from "./run-state.ts";
import { type Sample, samplesOf } from "./samples.ts";

/** Rollouts that are read at once. */
const mostReads = 16;
const stallWhileNothingRunsMs = 300_000;

function isTerminal(status: RolloutStatus): boolean {
  return status === "succeeded" || status === "failed" || status === "cancelled";
}

/** One run of a Baseline. */
export class BaselineRun<T> {
  readonly #context: AlgorithmContext<T>;
  readonly #options: ResolvedBaselineOptions;
  readonly #logger: Logger;
  readonly #state = new RunState();
  readonly #reads = new Set<Promise<void>>();
  /** Statuses of rollouts whose enqueue has not come back yet: a runner may be faster. */
  readonly #early = new Map<string, RolloutStatus>();
  readonly #samples: AsyncGenerator<Sample<T>, void, undefined>;
  #first: Sample<T> | undefined;
  #exhausted = false;
  #submitting = 0;
  #broken: { readonly error: unknown } | undefined;
  #outcome: BaselineOutcome = "completed";
  #message: string | undefined;
  #stopped = false;
  #lastMovedMs = 0;
  #adapterMissed = false;
  #failures: { readonly message: string; count: number } | undefined;

  constructor(context: AlgorithmContext<T>, options: ResolvedBaselineOptions) {
    this.#context = context;
    this.#options = options;
    this.#logger = options.logger ?? context.logger ?? consoleLogger;
    this.#samples = samplesOf(context.trainDataset, context.valDataset, options.epochs);
  }

  async run(): Promise<BaselineReport> {
    const { store, signal, runtime } = this.#context;
    const startMs = runtime.clock.monotonicMs();
    await this.#requireSample();
    await this.#publishResources();
    this.#lastMovedMs = runtime.clock.monotonicMs();
    const done = new AbortController();
    // Subscribed before the first rollout exists, so that no finish is missed.
    const events = store.watchRollouts({ signal: done.signal });
    const wake = new Pulse();
    const following = this.#follow(events, wake).catch((error: unknown) => {
      this.#broken = { error };
      wake.beat();
    });
    const onAbort = (): void => {
      this.#stop("interrupted", "the run was told to stop");
      wake.beat();
    };
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      await this.#loop(wake);
    } finally {
      signal.removeEventListener("abort", onAbort);
      done.abort();
      await following;
      await this.#samples.return();
    }
    await Promise.all(this.#reads);
    if (this.#broken !== undefined) throw this.#broken.error;
    return this.#report(runtime.clock.monotonicMs() - startMs);
  }

  /** @throws empty_dataset, before anything is stored */
  async #requireSample(): Promise<void> {
    const first = await this.#samples.next();
    if (first.done !== true) {
      this.#first = first.value;
      return;
    }
    throw new LightningError({
      code: "empty_dataset",
      message: "there is no sample to run: give fit() a dataset, trainDataset or valDataset with at least one",
    });
  }

  async #publishResources(): Promise<void> {
    const { store, initialResources } = this.#context;
    if (initialResources !== undefined) await store.updateResources("default", initialResources);
    else if ((await store.getLatestResources()) === undefined)
      this.#logger.debug("There are no initial resources; agents that need some will fail.");
  }

  async #follow(events: AsyncIterable<RolloutEvent>, wake: Pulse): Promise<void> {
    for await (const event of events) {
      this.#onStatus(event.rolloutId, event.status);
      // Bounded: the store keeps what it announces until the next event is asked for.
      while (this.#reads.size >= mostReads) await Promise.race(this.#reads);
      wake.beat();
    }
  }

  #onStatus(rolloutId: string, status: RolloutStatus): void {
    if (!this.#state.outstanding.has(rolloutId)) {
      if (this.#submitting > 0) this.#early.set(rolloutId, status);
      return;
    }
    if (!this.#state.move(rolloutId, status)) return;
    this.#lastMovedMs = this.#context.runtime.clock.monotonicMs();
    this.#logger.debug(`[Rollout ${rolloutId}] Status changed to ${status}.`);
    if (isTerminal(status)) this.#read(rolloutId);
    else this.#options.onProgress(this.#state.progress());
  }

  #read(rolloutId: string): void {
    const mode = this.#state.settle(rolloutId);
    if (mode === undefined) return;
    const reading = this.#collect(rolloutId, mode)
      .catch((error: unknown) => {
        this.#broken ??= { error };
      })
      .finally(() => this.#reads.delete(reading));
    this.#reads.add(reading);
  }

  async #collect(rolloutId: string, mode: "train" | "val"): Promise<void> {
    const finished = await collectRollout(this.#context.store, rolloutId);
    if (finished === undefined) {
      this.#logger.warn(`[Rollout ${rolloutId}] Disappeared from the store before its result was read.`);
      this.#state.both(mode, (tally) => tally.count("missing"));
    } else {
      this.#count(finished, mode);
      logFinished(this.#logger, this.#options.spanVerbosity, finished);
      this.#adapt(finished);
    }
    this.#options.onProgress(this.#state.progress());
  }

  #count(finished: FinishedRollout, mode: "train" | "val"): void {
    const { rollout, attempts, spans, reward } = finished;
    const { rolloutId, status, startTimeMs, endTimeMs } = rollout;
    const failure = status === "failed" ? explainFailure(finished) : undefined;
    this.#state.both(mode, (tally) => {
      if (status === "succeeded" || status === "failed" || status === "cancelled") tally.count(status);
      tally.countWork({
        attempts: attempts.length,
        spans: spans.length,
        droppedSpans: attempts.reduce((sum, attempt) => sum + (attempt.droppedSpans ?? 0), 0),
      });
      if (endTimeMs !== undefined) tally.duration(Math.max(0, endTimeMs - startTimeMs));
      if (status === "succeeded" || reward !== undefined) tally.reward(reward);
      if (failure !== undefined) tally.error(failure, rolloutId);
    });
    this.#judgeFailures(failure, status);
  }

  /** Notices that the run fails from the start, always in the same way. */
  #judgeFailures(failure: string | undefined, status: RolloutStatus): void {
    const { failFast } = this.#options;
    if (failFast === undefined || this.#failures?.count === -1) return;
    if (
      status !== "failed" ||
      failure === undefined ||
      (this.#failures !== undefined && this.#failures.message !== failure)
    ) {
      this.#failures = { message: "", count: -1 };
      return;
    }
    this.#failures ??= { message: failure, count: 0 };
    this.#failures.count += 1;
    if (this.#failures.count >= failFast)
      this.#stop("failed_fast", `the first ${failFast} rollouts all failed: ${failure}`);
  }

  #adapt({ rollout, latestSpans }: FinishedRollout): void {
    const { adapter } = this.#context;
    if (adapter === undefined) {
      if (!this.#adapterMissed) this.#logger.debug("No adapter is set; spans are not adapted.");
      this.#adapterMissed = true;
      return;
    }
    try {
      this.#logger.info(`[Rollout ${rollout.rolloutId}] Adapted data: ${JSON.stringify(adapter.adapt(latestSpans))}`);
    } catch (error) {
      this.#logger.warn(
        `[Rollout ${rollout.rolloutId}] Its spans could not be adapted: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  #stop(outcome: BaselineOutcome, message: string): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#outcome = outcome;
    this.#message = message;
  }

  async #loop(wake: Pulse): Promise<void> {
    const { clock } = this.#context.runtime;
    let drainUntilMs: number | undefined;
    for (;;) {
      if (this.#broken !== undefined) return;
      if (this.#stopped) {
        drainUntilMs ??= clock.monotonicMs() + this.#options.drainMs;
        await this.#cancelQueued();
        if (this.#outcome === "stalled" || clock.monotonicMs() >= drainUntilMs) break;
      } else await this.#submit();
      if (this.#state.outstanding.size === 0 && (this.#stopped || this.#exhausted)) {
        await Promise.all(this.#reads);
        if (this.#stopped || this.#exhausted) break;
      }
      const beaten = await wake.wait(this.#context.runtime, this.#options.pollingIntervalMs);
      if (!beaten) await this.#look();
      this.#judgeStall();
    }
    for (const [rolloutId] of [...this.#state.outstanding]) {
      const mode = this.#state.settle(rolloutId);
      if (mode !== undefined) this.#state.both(mode, (tally) => tally.count("unfinished"));
    }
  }

  /** Fills the queue to its bound in one write. */
  async #submit(): Promise<void> {
    const { store } = this.#context;
    while (!this.#exhausted && !this.#stopped && this.#state.queued < this.#options.maxQueueLength) {
      const samples = await this.#take(this.#options.maxQueueLength - this.#state.queued);
      if (samples.length === 0) return;
      this.#submitting += 1;
      try {
        const config = this.#options.rolloutConfig;
        const rollouts = await store.enqueueManyRollouts(
          samples.map(({ task, mode }) => ({
            input: task as never,
            mode,
            ...(config === undefined ? {} : { config }),
          })),
        );
        rollouts.forEach(({ rolloutId, status }, index) =>
          this.#state.add(rolloutId, samples[index]?.mode ?? "train", status),
        );
        for (const { rolloutId } of rollouts) {
          const status = this.#early.get(rolloutId);
          if (status !== undefined) this.#onStatus(rolloutId, status);
        }
      } finally {
        this.#submitting -= 1;
        if (this.#submitting === 0) this.#early.clear();
      }
      this.#lastMovedMs = this.#context.runtime.clock.monotonicMs();
      this.#options.onProgress(this.#state.progress());
    }
  }

  async #take(count: number): Promise<readonly Sample<T>[]> {
    const taken: Sample<T>[] = [];
    if (this.#first !== undefined) {
      taken.push(this.#first);
      this.#first = undefined;
    }
    while (taken.length < count) {
      const next = await this.#samples.next();
      if (next.done === true) {
        this.#exhausted = true;
        break;
      }
      taken.push(next.value);
    }
    return taken;
  }

  /** What nobody has claimed will not be run any more. */
  async #cancelQueued(): Promise<void> {
    for (const [rolloutId, { status }] of [...this.#state.outstanding]) {
      if (status !== "queuing" && status !== "requeuing") continue;
      try {
        await this.#context.store.updateRollout(rolloutId, { status: "cancelled" });
      } catch (error) {
        this.#logger.warn(
          `[Rollout ${rolloutId}] Could not be cancelled: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
      this.#onStatus(rolloutId, "cancelled");
    }
  }

  /** The fallback when the store announces nothing: asks for what is outstanding. What has gone is counted as missing. */
  async #look(): Promise<void> {
    const ids = [...this.#state.outstanding.keys()];
    if (ids.length === 0) return;
    const found = await this.#context.store.queryRollouts({ rolloutIdIn: ids });
    const known = new Set<string>();
    for (const { rolloutId, status } of found) {
      known.add(rolloutId);
      this.#onStatus(rolloutId, status);
    }
    for (const rolloutId of ids) if (!known.has(rolloutId)) this.#read(rolloutId);
  }

  #judgeStall(): void {
    if (this.#stopped) return;
    const { stallTimeoutMs } = this.#options;
    if (stallTimeoutMs === undefined && this.#state.running > 0) return;
    const silentMs = this.#context.runtime.clock.monotonicMs() - this.#lastMovedMs;
    if (silentMs < (stallTimeoutMs ?? stallWhileNothingRunsMs)) return;
    this.#stop(
      "stalled",
      `nothing was claimed and nothing finished for ${Math.round(silentMs)} ms: ${this.#state.queued} queued, ${this.#state.running} running`,
    );
  }

  async #report(durationMs: number): Promise<BaselineReport> {
    const { train, val, total } = this.#state.tallies;
    const message =
      this.#outcome === "stalled" ? `${this.#message ?? ""}, ${await this.#workersSeen()} workers seen` : this.#message;
    return new BaselineReport({
      outcome: this.#outcome,
      ...(message === undefined ? {} : { message }),
      epochs: this.#options.epochs,
      durationMs,
      splits: { train: train.report(), val: val.report() },
      totals: total.report(),
    });
  }

  async #workersSeen(): Promise<number> {
    return (await this.#context.store.statistics()).totalWorkers;
  }
}

/** Wakes one loop; a beat that comes while it works is not lost. */
class Pulse {
  #beaten = false;
  #wake: (() => void) | undefined;

  beat(): void {
    this.#beaten = true;
    this.#wake?.();
  }

  /** True for a beat, false when there was none for that long. */
  async wait(runtime: AlgorithmContext<unknown>["runtime"], timeoutMs: number): Promise<boolean> {
    if (!this.#beaten) {
      await new Promise<void>((resolve) => {
        const timer = runtime.clock.setTimer(resolve, timeoutMs);
        this.#wake = () => {
          timer.cancel();
          resolve();
        };
      });
      this.#wake = undefined;
    }
    const beaten = this.#beaten;
    this.#beaten = false;
    return beaten;
  }
}
