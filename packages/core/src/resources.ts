import type { JsonObject } from "./json.ts";

/** A language model behind an OpenAI-compatible endpoint. */
export interface Llm {
  readonly resourceType: "llm";
  readonly endpoint: string;
  readonly model: string;
  /** Secret: redacted wherever a resource is printed. */
  readonly apiKey?: string;
  readonly samplingParameters: JsonObject;
}

/** A model behind an LLM proxy that tells attempts apart by their URL; see {@link llmBaseUrl}. */
export interface ProxyLlm extends Omit<Llm, "resourceType"> {
  readonly resourceType: "proxy_llm";
}

export const promptTemplateEngines = ["jinja", "f-string", "poml"] as const;
export type PromptTemplateEngine = (typeof promptTemplateEngines)[number];

/** A prompt with holes. */
export interface PromptTemplate {
  readonly resourceType: "prompt_template";
  readonly template: string;
  readonly engine: PromptTemplateEngine;
}

export type Resource = Llm | ProxyLlm | PromptTemplate;
/** Resources by name. */
export type NamedResources = Readonly<Record<string, Resource>>;

/** One version of a set of resources. */
export interface ResourcesUpdate {
  readonly resourcesId: string;
  readonly createTimeMs: number;
  readonly updateTimeMs: number;
  /** 1, 2, 3, … */
  readonly version: number;
  readonly resources: NamedResources;
  /** The call that stored this version, so that a repeat of it gives it back. */
  readonly idempotencyKey?: string;
}
