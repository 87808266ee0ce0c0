import {
  formatPrompt,
  LightningError,
  type Llm,
  llmBaseUrl,
  type NamedResources,
  type PromptTemplate,
  type ProxyLlm,
  type Resource,
  resolveLlm,
} from "@agentlightning/core";
import type { AgentLlm, AgentPromptTemplate } from "./agent-context.ts";

/** Says once per runner which resource is taken where there are several. */
export type WarnOnce = (key: string, message: string) => void;

function isLlm(resource: Resource): resource is Llm | ProxyLlm {
  return resource.resourceType === "llm" || resource.resourceType === "proxy_llm";
}

function isPromptTemplate(resource: Resource): resource is PromptTemplate {
  return resource.resourceType === "prompt_template";
}

function first<T extends Resource>(
  resources: NamedResources,
  what: string,
  accepts: (resource: Resource) => resource is T,
  warnOnce: WarnOnce,
): T {
  const found = Object.entries(resources).filter((entry): entry is [string, T] => accepts(entry[1]));
  const chosen = found[0];
  if (chosen === undefined) {
    const names = Object.keys(resources);
    throw new LightningError({
      code: "resource_missing",
      message:
        `The agent asks for ${what}, but the resources of this rollout hold none` +
        ` (${names.length === 0 ? "they are empty" : `they are: ${names.join(", ")}`}).` +
        ` Give one, for example in the Trainer's initialResources.`,
    });
  }
  if (found.length > 1) {
    const names = found.map(([name]) => name);
    warnOnce(`several ${names.join()}`, `several resources could be ${what} (${names.join(", ")}); taking ${names[0]}`);
  }
  return chosen[1];
}

/** First LLM resource; one behind a proxy gets the URL of this attempt. @throws resource_missing */
export function firstLlm(
  resources: NamedResources,
  ids: { readonly rolloutId: string; readonly attemptId: string },
  warnOnce: WarnOnce,
): AgentLlm {
  const resource = first(resources, "an LLM", isLlm, warnOnce);
  return Object.freeze({ ...resolveLlm(resource, ids), baseUrl: llmBaseUrl(resource, ids) });
}

/** First prompt template, with `format`. @throws resource_missing */
export function firstPromptTemplate(resources: NamedResources, warnOnce: WarnOnce): AgentPromptTemplate {
  const resource = first(resources, "a prompt template", isPromptTemplate, warnOnce);
  return Object.freeze({
    ...resource,
    format: (values: Parameters<AgentPromptTemplate["format"]>[0]) => formatPrompt(resource, values),
  });
}
