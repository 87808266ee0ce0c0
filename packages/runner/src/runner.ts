import { LightningError, type Logger } from "@agentlightning/core";
import type { AttemptEnvironment } from "./attempt-environment.ts";
import { AttemptRegistry } from "./attempt-registry.ts";
import { CancelWatch } from "./cancel-watch.ts";
import { type ResolvedRunnerOptions, resolveRunnerOptions, type RunnerOptions } from "./options.ts";
import type { WarnOnce } from "./resource-access.ts";
import { Session } from "./session.ts";
import { runStep, type StepOptions, type StepResult } from "./step.ts";
import type { RunnerSummary } from "./summary.ts";
import { openTracing } from "./tracing.ts";

/** Claims rollouts from a store and runs an agent on each. */
export class Runner<TInput = unknown> {
  readonly #options: ResolvedRunnerOptions;
  readonly #registry: AttemptRegistry;
  readonly #watch: CancelWatch;
  readonly #warnOnce: WarnOnce;
  #session: Session | undefined;
  #running: Promise<RunnerSummary> | undefined;
  #stopAsked = false;

  /** @throws invalid_options naming the option, its value and its range */
  constructor(options: RunnerOptions<TInput>) {
    this.#options = resolveRunnerOptions(options);
    const { store, runtime, logger } = this.#options;
    this.#registry = new AttemptRegistry(store, logger);
    this.#watch = new CancelWatch({
      store,
      runtime,
      log: logger,
      onEvent: (event) => this.#registry.onEvent(event),
    });
    this.#warnOnce = warnOnceTo(logger);
  }

  /** Begins the ids of this runner's workers, `<runnerId>-<slot>`. */
  get runnerId(): string {
    return this.#options.runnerId;
  }

  /**
   * Serves until the signal aborts, {@link Runner.stop} is called, or `maxRollouts` are claimed. After a stop nothing is
   * claimed; running agents have `graceMs` to finish, are then aborted, and their rollouts go back to the queue.
   *
   * @throws conflict while it runs already; what the store threw once it was away for `storeOutageMs`
   */
  async run(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<RunnerSummary> {
    if (this.#running !== undefined) {
      throw new LightningError({ code: "conflict", message: `Runner ${this.runnerId} is running already.` });
    }
    this.#stopAsked = false;
    this.#running = this.#serve(options.signal);
    try {
      return await this.#running;
    } finally {
      this.#running = undefined;
    }
  }

  /** Stops {@link Runner.run} as its signal would, and resolves when it has ended; never rejects. Idempotent. */
  async stop(): Promise<void> {
    this.#stopAsked = true;
    this.#session?.drain(this.#options.graceMs);
    await this.#running?.catch(() => undefined);
  }

  /**
   * Runs the agent on one input, outside the queue: a rollout is started, executed, and given back with its spans.
   *
   * @throws what the agent threw (the attempt is reported as failed first); aborted when `signal` ended it
   */
  async step(input: TInput, options: StepOptions = {}): Promise<StepResult> {
    return this.#withEnvironment((environment) => runStep(environment, input, options));
  }

  async #serve(signal: AbortSignal | undefined): Promise<RunnerSummary> {
    const hurry = new AbortController();
    return this.#withEnvironment(async (environment) => {
      const session = new Session(environment, hurry);
      const drain = (): void => session.drain(this.#options.graceMs);
      this.#session = session;
      signal?.addEventListener("abort", drain, { once: true });
      if (signal?.aborted === true || this.#stopAsked) drain();
      try {
        return await session.run();
      } finally {
        signal?.removeEventListener("abort", drain);
        this.#session = undefined;
      }
    }, hurry.signal);
  }

  async #withEnvironment<T>(
    use: (environment: AttemptEnvironment) => Promise<T>,
    hurry: AbortSignal = new AbortController().signal,
  ): Promise<T> {
    const tracing = await openTracing(this.#options.logger, this.#warnOnce);
    const release = this.#watch.acquire();
    try {
      return await use({
        options: this.#options,
        tracing,
        registry: this.#registry,
        warnOnce: this.#warnOnce,
        hurry,
      });
    } finally {
      release();
      await tracing.release();
    }
  }
}

function warnOnceTo(logger: Logger): WarnOnce {
  const said = new Set<string>();
  return (key, message) => {
    if (said.has(key)) return;
    said.add(key);
    logger.warn(message);
  };
}
