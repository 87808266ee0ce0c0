import { type LightningStore, systemRuntime } from "@agentlightning/core";
import { createStore } from "@agentlightning/store-kit";
import { createMemoryDriver } from "./memory-driver.ts";
import { type MemoryStoreOptions, resolveMemoryBounds } from "./options.ts";

/** Opens an empty store in this process's memory. @throws invalid_options */
export function openMemoryStore(options: MemoryStoreOptions = {}): LightningStore {
  const runtime = options.runtime ?? systemRuntime;
  return createStore(createMemoryDriver(resolveMemoryBounds(options), runtime), {
    runtime,
    deepFreeze: options.deepFreeze,
  });
}
