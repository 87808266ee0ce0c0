import type { LightningStore } from "@agentlightning/core";
import { createStore } from "@agentlightning/store-kit";
import { MemoryDatabase } from "./memory-database.ts";
import { createMemoryDriver } from "./memory-driver.ts";
import { type MemoryStoreOptions, resolveMemoryLimits } from "./options.ts";

/** Opens a store in this process's memory, empty unless a database that holds something is given. @throws invalid_options */
export function openMemoryStore(options: MemoryStoreOptions = {}): LightningStore {
  const { database = new MemoryDatabase(), namespace = "default", runtime, deepFreeze, retention } = options;
  const driver = createMemoryDriver(database.namespace(namespace), resolveMemoryLimits(options));
  return createStore(driver, { runtime, deepFreeze, retention });
}
