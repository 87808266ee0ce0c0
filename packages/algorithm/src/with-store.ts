import { LightningError, type LightningStore, type LlmProxy } from "@agentlightning/core";

/** Whatever knows its store; every Algorithm does. */
export interface HasStore {
  getStore(): LightningStore;
}

/** Whatever may know an LLM proxy; every Algorithm does. */
export interface HasLlmProxy {
  getLlmProxy(): LlmProxy | undefined;
}

/**
 * Makes a method that is handed its algorithm's store, as it is at the time of each call, as its first argument.
 *
 * @example
 * ```ts
 * class Publisher extends FastAlgorithm {
 *   publish = withStore(function (this: Publisher, store, text: string) {
 *     return store.addResources({ prompt: promptTemplate(text) });
 *   });
 *   async run() { await this.publish("Hello {name}"); }
 * }
 * ```
 */
export function withStore<TThis extends HasStore, TArguments extends readonly unknown[], TResult>(
  method: (this: TThis, store: LightningStore, ...parameters: TArguments) => TResult,
): (this: TThis, ...parameters: TArguments) => TResult {
  return function (this: TThis, ...parameters: TArguments): TResult {
    return method.call(this, this.getStore(), ...parameters);
  };
}

/** Options of {@link withLlmProxy}. */
export interface WithLlmProxyOptions {
  /** Without a proxy: throw instead of handing over nothing. @defaultValue false */
  readonly required?: boolean | undefined;
  /** Start a proxy that does not run, and stop it afterwards. @defaultValue true */
  readonly autoStart?: boolean | undefined;
}

/**
 * Makes a method that is handed a running LLM proxy (or nothing) as its first argument. A proxy that runs already is
 * left alone; one that was started for the call is stopped after it, also when it fails.
 *
 * @throws llm_proxy_required (from the method) when `required` and there is none
 */
export function withLlmProxy<TThis extends HasLlmProxy, TArguments extends readonly unknown[], TResult>(
  method: (this: TThis, llmProxy: LlmProxy | undefined, ...parameters: TArguments) => TResult | Promise<TResult>,
  options: WithLlmProxyOptions = {},
): (this: TThis, ...parameters: TArguments) => Promise<TResult> {
  const { required = false, autoStart = true } = options;
  return async function (this: TThis, ...parameters: TArguments): Promise<TResult> {
    const proxy = this.getLlmProxy();
    if (proxy === undefined && required) {
      throw new LightningError({
        code: "llm_proxy_required",
        message: "this method needs an LLM proxy: give the Trainer an llmProxy",
      });
    }
    if (proxy === undefined || !autoStart || proxy.isRunning()) return method.call(this, proxy, ...parameters);
    await proxy.start();
    try {
      return await method.call(this, proxy, ...parameters);
    } finally {
      await proxy.stop();
    }
  };
}
