export { MemoryDatabase, type MemoryNamespace } from "./memory-database.ts";
export { createMemoryDriver, type MemoryLimits } from "./memory-driver.ts";
export { openMemoryStore } from "./open-memory-store.ts";
export { type MemoryStoreOptions, resolveMemoryLimits } from "./options.ts";
