import {
  copyJsonObject,
  InvalidInputError,
  isPlainObject,
  type JsonCopyOptions,
  type NamedResources,
  promptTemplateEngines,
  type Resource,
} from "@agentlightning/core";
import { checkOneOf, checkText } from "./validate.ts";

function checkResource(resource: Resource, name: string, options: JsonCopyOptions): Resource {
  if (typeof resource !== "object" || resource === null)
    throw new InvalidInputError({ message: `resource "${name}" must be an object` });
  switch (resource.resourceType) {
    case "llm":
    case "proxy_llm":
      return Object.freeze({
        resourceType: resource.resourceType,
        endpoint: checkText(resource.endpoint, `${name}.endpoint`),
        model: checkText(resource.model, `${name}.model`),
        ...(resource.apiKey === undefined ? {} : { apiKey: checkText(resource.apiKey, `${name}.apiKey`) }),
        samplingParameters: copyJsonObject(resource.samplingParameters ?? {}, `${name}.samplingParameters`, options)
          .value,
      });
    case "prompt_template":
      return Object.freeze({
        resourceType: resource.resourceType,
        template: checkText(resource.template, `${name}.template`),
        engine: checkOneOf(resource.engine, promptTemplateEngines, `${name}.engine`),
      });
    default: {
      const given: { readonly resourceType?: unknown } = resource;
      throw new InvalidInputError({
        message: `resource "${name}" has resourceType ${String(given.resourceType)}; known: llm, proxy_llm, prompt_template`,
      });
    }
  }
}

/** Resources copied and checked. @throws invalid_input, too_large */
export function checkResources(resources: NamedResources, options: JsonCopyOptions): NamedResources {
  if (typeof resources !== "object" || resources === null || !isPlainObject(resources)) {
    throw new InvalidInputError({ message: "resources must be an object of resources by name" });
  }
  return Object.freeze(
    Object.fromEntries(
      Object.entries(resources).map(([name, resource]) => [name, checkResource(resource, name, options)]),
    ),
  );
}
