import type { ContextManager } from "@opentelemetry/api";

/** The SDK's context manager over AsyncLocalStorage, where it is installed: without it spans have no parents. */
export async function createContextManager(): Promise<ContextManager | undefined> {
  const module = "@opentelemetry/context-async-hooks";
  try {
    const loaded = (await import(module)) as { readonly AsyncLocalStorageContextManager: new () => ContextManager };
    return new loaded.AsyncLocalStorageContextManager();
  } catch {
    return undefined;
  }
}
