import {
  type Dataset,
  LightningError,
  type LightningStore,
  type LlmProxy,
  type Logger,
  type NamedResources,
  type Runtime,
  type TraceAdapter,
} from "@agentlightning/core";

/** What a run of an algorithm is given. */
export interface AlgorithmContext<TTask> {
  readonly store: LightningStore;
  readonly trainDataset?: Dataset<TTask>;
  readonly valDataset?: Dataset<TTask>;
  /** Aborts when the run is to end: return what there is. */
  readonly signal: AbortSignal;
  readonly adapter?: TraceAdapter;
  readonly llmProxy?: LlmProxy;
  readonly initialResources?: NamedResources;
  readonly logger: Logger;
  readonly runtime: Runtime;
}

/** What an algorithm is wired to before it runs. */
export interface AlgorithmBindings {
  readonly store?: LightningStore | undefined;
  readonly trainer?: object | undefined;
  readonly adapter?: TraceAdapter | undefined;
  readonly llmProxy?: LlmProxy | undefined;
  readonly initialResources?: NamedResources | undefined;
}

const algorithmMarker = Symbol.for("agentlightning.algorithm");
const fastMarker = Symbol.for("agentlightning.algorithm.fast");

function isMarked(value: unknown, marker: symbol): boolean {
  return typeof value === "object" && value !== null && Reflect.get(value, marker) === true;
}

/** Decides what to run, and learns from what comes back. Derive from it, or use {@link defineAlgorithm}. */
export abstract class Algorithm<TTask = unknown, TResult = unknown> {
  #bindings: AlgorithmBindings = {};

  constructor() {
    // A marker instead of instanceof: a second copy of this package is recognised too.
    Object.defineProperty(this, algorithmMarker, { value: true });
  }

  /** Runs to the end; what it returns is what `Trainer.fit` returns. */
  abstract run(context: AlgorithmContext<TTask>): Promise<TResult>;

  /** True for an algorithm of this or any other copy of the package. */
  static isInstance(value: unknown): value is Algorithm {
    return isMarked(value, algorithmMarker);
  }

  /** Wires the algorithm; a Trainer does it before each run. Parts that are not given are unset. */
  bind(bindings: AlgorithmBindings): void {
    this.#bindings = { ...bindings };
  }

  /** @throws not_configured before it is bound to a store */
  getStore(): LightningStore {
    return this.#require("store");
  }

  /** @throws not_configured without an adapter */
  getAdapter(): TraceAdapter {
    return this.#require("adapter");
  }

  /** The Trainer that runs it. @throws not_configured outside a Trainer */
  getTrainer(): object {
    return this.#require("trainer");
  }

  /** The LLM proxy, if there is one. */
  getLlmProxy(): LlmProxy | undefined {
    return this.#bindings.llmProxy;
  }

  /** The initial resources, if there are any. */
  getInitialResources(): NamedResources | undefined {
    return this.#bindings.initialResources;
  }

  #require<K extends keyof AlgorithmBindings>(part: K): NonNullable<AlgorithmBindings[K]> {
    const value = this.#bindings[part];
    if (value !== undefined && value !== null) return value;
    throw new LightningError({
      code: "not_configured",
      message: `${this.constructor.name} has no ${part}: give one to the Trainer, or to bind()`,
      details: { part },
    });
  }
}

/** An algorithm with a short feedback loop: `Trainer.dev` accepts these only. */
export abstract class FastAlgorithm<TTask = unknown, TResult = unknown> extends Algorithm<TTask, TResult> {
  constructor() {
    super();
    Object.defineProperty(this, fastMarker, { value: true });
  }

  /** True for a fast algorithm of this or any other copy of the package. */
  static override isInstance(value: unknown): value is FastAlgorithm {
    return isMarked(value, fastMarker);
  }
}
