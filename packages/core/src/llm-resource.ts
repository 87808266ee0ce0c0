import { InvalidInputError } from "./errors.ts";
import type { JsonObject } from "./json.ts";
import type { Llm, ProxyLlm } from "./resources.ts";

/** What an LLM resource is made from. */
export interface LlmResourceOptions {
  /** Base URL of an OpenAI-compatible endpoint, e.g. `http://localhost:8000/v1`. */
  readonly endpoint: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** Sent along with each call. @defaultValue \{\} */
  readonly samplingParameters?: JsonObject | undefined;
}

/** Which attempt a model call belongs to. */
export interface AttemptIds {
  readonly rolloutId: string;
  readonly attemptId: string;
}

function requireText(value: unknown, field: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new InvalidInputError({
    message: `${field} must be a non-empty string, got ${String(value)}`,
    details: { field },
  });
}

function build<T extends "llm" | "proxy_llm">(resourceType: T, options: LlmResourceOptions) {
  const { apiKey } = options;
  return Object.freeze({
    resourceType,
    endpoint: requireText(options.endpoint, "endpoint"),
    model: requireText(options.model, "model"),
    ...(apiKey === undefined ? {} : { apiKey }),
    samplingParameters: Object.freeze({ ...options.samplingParameters }),
  });
}

/** An {@link Llm} resource. @throws invalid_input for an empty endpoint or model */
export function llmResource(options: LlmResourceOptions): Llm {
  return build("llm", options);
}

/** A {@link ProxyLlm} resource: a proxy that tells attempts apart by their URL. @throws invalid_input for an empty endpoint or model */
export function proxyLlmResource(options: LlmResourceOptions): ProxyLlm {
  return build("proxy_llm", options);
}

/**
 * The base URL to call a model at. For a ProxyLlm with ids, `/rollout/R/attempt/A` is put before a trailing `/v1`, or
 * at the end (the reference's rule); any other resource gives its endpoint.
 */
export function llmBaseUrl(resource: Llm | ProxyLlm, ids?: AttemptIds): string {
  if (resource.resourceType === "llm" || ids === undefined) return resource.endpoint;
  const rolloutId = requireText(ids.rolloutId, "rolloutId");
  const attemptId = requireText(ids.attemptId, "attemptId");
  const trimmed = resource.endpoint.endsWith("/") ? resource.endpoint.slice(0, -1) : resource.endpoint;
  const versioned = trimmed.endsWith("/v1");
  const base = versioned ? trimmed.slice(0, -"/v1".length) : trimmed;
  const path = `/rollout/${encodeURIComponent(rolloutId)}/attempt/${encodeURIComponent(attemptId)}`;
  return `${base}${path}${versioned ? "/v1" : ""}`;
}

/** The plain {@link Llm} of one attempt: a ProxyLlm with its URL resolved, an Llm as it is. */
export function resolveLlm(resource: Llm | ProxyLlm, ids?: AttemptIds): Llm {
  if (resource.resourceType === "llm") return resource;
  return Object.freeze({ ...resource, resourceType: "llm" as const, endpoint: llmBaseUrl(resource, ids) });
}
