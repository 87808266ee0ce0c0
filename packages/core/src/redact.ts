import type { NamedResources, Resource } from "./resources.ts";

/** What stands for a secret in anything that is printed. */
export const redacted = "[redacted]";

/** A resource that may be printed. */
export function redactResource<T extends Resource>(resource: T): T {
  return "apiKey" in resource ? { ...resource, apiKey: redacted } : resource;
}

/** Resources that may be printed. */
export function redactResources(resources: NamedResources): NamedResources {
  return Object.fromEntries(Object.entries(resources).map(([name, resource]) => [name, redactResource(resource)]));
}
