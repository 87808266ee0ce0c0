import type { JsonObject } from "./json.ts";
import type { Llm, ProxyLlm } from "./resources.ts";

/** Which attempt and model a proxy resource is for. */
export interface ProxyResourceOptions {
  /** Both ids or neither. */
  readonly rolloutId?: string | undefined;
  readonly attemptId?: string | undefined;
  readonly model?: string | undefined;
  readonly samplingParameters?: JsonObject | undefined;
}

/** An LLM proxy, as algorithms and trainers see it. */
export interface LlmProxy {
  /** Idempotent. */
  start(): Promise<void>;
  /** Idempotent. */
  stop(): Promise<void>;
  isRunning(): boolean;
  /** A ProxyLlm, or with both ids the Llm of that attempt. */
  asResource(options?: ProxyResourceOptions): ProxyLlm | Llm;
}
