import {
  consoleLogger,
  type JsonValue,
  LightningError,
  type Logger,
  type RolloutEvent,
  type RolloutStatus,
} from "@agentlightning/core";
import type { AlgorithmContext } from "../algorithm.ts";
import { FailureWatch } from "./failure-watch.ts";
import type { ResolvedBaselineOptions } from "./options.ts";
import { Pulse } from "./pulse.ts";
import { type BaselineOutcome, BaselineReport } from "./report.ts";
import { Results } from "./results.ts";
import { RunState } from "./run-state.ts";
import { SampleSource } from "./sample-source.ts";
import { samplesOf } from "./samples.ts";

/** Rollouts that are read at once from a store that is not in this process. */
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
  readonly #wake = new Pulse();
  readonly #source: SampleSource<T>;
  readonly #results: Results;
  readonly #failures: FailureWatch;
  readonly #reads = new Set<Promise<void>>();
  /** Statuses of rollouts whose enqueue has not come back yet: a runner may be faster. */
  readonly #early = new Map<string, RolloutStatus>();
  #isSubmitting = false;
  #broken: { readonly error: unknown } | undefined;
  #end: { readonly outcome: BaselineOutcome; readonly message: string } | undefined;
  #lastMovedMs = 0;

  constructor(context: AlgorithmContext<T>, options: ResolvedBaselineOptions) {
    this.#context = context;
    this.#options = options;
    this.#logger = options.logger ?? context.logger ?? consoleLogger;
    this.#source = new SampleSource(samplesOf(context.trainDataset, context.valDataset, options.epochs), () =>
      this.#wake.beat(),
    );
    this.#results = new Results({ context, options, logger: this.#logger, state: this.#state });
    this.#failures = new FailureWatch(options.failFast);
  }

  async run(): Promise<BaselineReport> {
    const { store, signal, runtime } = this.#context;
    const startMs = runtime.clock.monotonicMs();
    const onAbort = (): void => this.#stop("interrupted", "the run was told to stop");
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    const done = new AbortController();
    let following: Promise<void> | undefined;
    try {
      await this.#requireSample();
      await this.#publishResources();
      this.#lastMovedMs = runtime.clock.monotonicMs();
      // Subscribed before the first rollout exists, so that no finish is missed.
      following = this.#follow(store.watchRollouts({ signal: done.signal }));
      await this.#loop();
    } catch (error) {
      this.#broken ??= { error };
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#source.close();
    }
    // Nobody is there any more for what a broken run has queued.
    if (this.#broken !== undefined) await this.#cancelQueued();
    done.abort();
    await following;
    await Promise.all(this.#reads);
    if (this.#broken !== undefined) throw this.#broken.error;
    return this.#report(runtime.clock.monotonicMs() - startMs);
  }

  /** @throws empty_dataset, before anything is stored; what the dataset throws */
  async #requireSample(): Promise<void> {
    this.#source.ask(1);
    while (!this.#source.hasAnswered && this.#end === undefined) {
      await this.#wake.wait(this.#context.runtime, this.#options.pollingIntervalMs);
    }
    if (this.#source.failure !== undefined) throw this.#source.failure.error;
    if (!this.#source.isExhausted) return;
    throw new LightningError({
      code: "empty_dataset",
      message: "there is no sample to run: give fit() a dataset, trainDataset or valDataset with at least one",
    });
  }

  async #publishResources(): Promise<void> {
    const { store, initialResources } = this.#context;
    if (initialResources !== undefined) await store.updateResources("default", initialResources);
    else if ((await store.getLatestResources()) === undefined) {
      this.#logger.warn("There are no initial resources; an agent that asks for one will fail.");
    }
  }

  async #follow(events: AsyncIterable<RolloutEvent>): Promise<void> {
    const isEmbedded = !this.#context.store.capabilities.multiProcess;
    try {
      for await (const event of events) {
        const reading = this.#onStatus(event.rolloutId, event.status);
        if (reading === undefined) continue;
        // A finished rollout is kept from retention until the next event is asked for: it is read before that.
        if (isEmbedded) await reading;
        while (this.#reads.size >= mostReads) await Promise.race(this.#reads);
      }
    } catch (error) {
      this.#break(error);
    }
  }

  #break(error: unknown): void {
    this.#broken ??= { error };
    this.#wake.beat();
  }

  #stop(outcome: BaselineOutcome, message: string): void {
    this.#end ??= { outcome, message };
    this.#wake.beat();
  }

  /** Notes a status of a rollout; gives the reading of it where that began. */
  #onStatus(rolloutId: string, status: RolloutStatus): Promise<void> | undefined {
    if (!this.#state.outstanding.has(rolloutId)) {
      if (this.#isSubmitting) this.#early.set(rolloutId, status);
      return undefined;
    }
    if (!this.#state.move(rolloutId, status)) return undefined;
    this.#lastMovedMs = this.#context.runtime.clock.monotonicMs();
    this.#say(`[Rollout ${rolloutId}] Status changed to ${status}.`);
    if (isTerminal(status)) return this.#read(rolloutId);
    this.#options.onProgress(this.#state.progress());
    // A claim makes room in the queue; what has been read makes its own beat.
    if (this.#state.queued < this.#options.maxQueueLength) this.#wake.beat();
    return undefined;
  }

  /** What is said of each step; with the spans it is silenced too. */
  #say(message: string): void {
    if (this.#options.spanVerbosity === "none") this.#logger.debug(message);
    else this.#logger.info(message);
  }

  #read(rolloutId: string): Promise<void> | undefined {
    const mode = this.#state.settle(rolloutId);
    if (mode === undefined) return undefined;
    const reading = this.#takeIn(rolloutId, mode)
      .catch((error: unknown) => this.#break(error))
      .finally(() => this.#reads.delete(reading));
    this.#reads.add(reading);
    return reading;
  }

  async #takeIn(rolloutId: string, mode: "train" | "val"): Promise<void> {
    const result = await this.#results.take(rolloutId, mode);
    const progress = this.#state.progress();
    this.#say(
      `Finished ${progress.succeeded + progress.failed + progress.cancelled} of ${progress.submitted} rollouts so far.`,
    );
    if (result !== undefined) {
      const alike = this.#failures.note(result.finished.rollout.status, result.failure);
      if (alike !== undefined) {
        this.#stop("failed_fast", `the first ${this.#options.failFast ?? 0} rollouts all failed: ${alike}`);
      }
    }
    this.#options.onProgress(progress);
    this.#wake.beat();
  }

  async #loop(): Promise<void> {
    const { runtime } = this.#context;
    let drainUntilMs = Number.POSITIVE_INFINITY;
    for (;;) {
      if (this.#broken !== undefined) return;
      if (this.#source.failure !== undefined) throw this.#source.failure.error;
      if (this.#end !== undefined) {
        drainUntilMs = Math.min(drainUntilMs, runtime.clock.monotonicMs() + this.#options.drainMs);
        await this.#cancelQueued();
      } else await this.#submit();
      const isAllGiven = this.#end !== undefined || this.#source.isExhausted;
      if (isAllGiven && this.#state.outstanding.size === 0 && this.#reads.size === 0) return;
      const restMs = drainUntilMs - runtime.clock.monotonicMs();
      if (restMs <= 0 || this.#end?.outcome === "stalled") return this.#giveUpOutstanding();
      const isBeaten = await this.#wake.wait(
        runtime,
        Math.max(0, Math.min(this.#options.pollingIntervalMs, restMs, this.#stallRestMs())),
      );
      if (!isBeaten) await this.#look();
      if (this.#end === undefined && this.#stallRestMs() <= 0) {
        this.#stop(
          "stalled",
          `nothing was claimed and nothing finished for ${Math.round(this.#silentMs())} ms: ${this.#state.queued} queued, ${this.#state.running} running`,
        );
      }
    }
  }

  #silentMs(): number {
    return this.#context.runtime.clock.monotonicMs() - this.#lastMovedMs;
  }

  /** How long it may go on without a claim or a finish. Waiting for the dataset is no stall. */
  #stallRestMs(): number {
    const { stallTimeoutMs } = this.#options;
    if (this.#state.outstanding.size === 0) return Number.POSITIVE_INFINITY;
    if (stallTimeoutMs === undefined && this.#state.running > 0) return Number.POSITIVE_INFINITY;
    return (stallTimeoutMs ?? stallWhileNothingRunsMs) - this.#silentMs();
  }

  /** Fills the queue to its bound with what is ready. */
  async #submit(): Promise<void> {
    const { store, runtime } = this.#context;
    while (this.#end === undefined) {
      const room = this.#options.maxQueueLength - this.#state.queued;
      const samples = room > 0 ? this.#source.take(room) : [];
      if (samples.length === 0) return;
      const config = this.#options.rolloutConfig;
      this.#isSubmitting = true;
      try {
        const rollouts = await store.enqueueManyRollouts(
          // Whether a task is JSON is the store's to judge: it refuses by name what is not.
          samples.map(({ task, mode }) => ({
            input: task as JsonValue,
            mode,
            ...(config === undefined ? {} : { config }),
          })),
        );
        rollouts.forEach(({ rolloutId, status }, index) =>
          this.#state.add(rolloutId, samples[index]?.mode ?? "train", status),
        );
        for (const { rolloutId } of rollouts) {
          const status = this.#early.get(rolloutId);
          if (status !== undefined) void this.#onStatus(rolloutId, status);
        }
      } finally {
        this.#isSubmitting = false;
        this.#early.clear();
      }
      this.#lastMovedMs = runtime.clock.monotonicMs();
      this.#options.onProgress(this.#state.progress());
    }
  }

  /** What nobody has claimed will not be run any more. */
  async #cancelQueued(): Promise<void> {
    for (const [rolloutId, { status }] of this.#state.outstanding) {
      if (status !== "queuing" && status !== "requeuing") continue;
      try {
        await this.#context.store.updateRollout(rolloutId, { status: "cancelled" });
        void this.#onStatus(rolloutId, "cancelled");
      } catch (error) {
        this.#logger.warn(
          `[Rollout ${rolloutId}] Could not be cancelled: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
  }

  #giveUpOutstanding(): void {
    for (const rolloutId of this.#state.outstanding.keys()) {
      const mode = this.#state.settle(rolloutId);
      if (mode !== undefined) this.#state.both(mode, (tally) => tally.count("unfinished"));
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
      void this.#onStatus(rolloutId, status);
    }
    for (const rolloutId of ids) if (!known.has(rolloutId)) void this.#read(rolloutId);
  }

  async #report(durationMs: number): Promise<BaselineReport> {
    const { train, val, total } = this.#state.tallies;
    const { outcome = "completed", message } = this.#end ?? {};
    const workers =
      outcome === "stalled" ? `, ${(await this.#context.store.statistics()).totalWorkers} workers seen` : "";
    return new BaselineReport({
      outcome,
      ...(message === undefined ? {} : { message: `${message}${workers}` }),
      epochs: this.#options.epochs,
      durationMs,
      splits: { train: train.report(), val: val.report() },
      totals: total.report(),
    });
  }
}
