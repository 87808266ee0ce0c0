export { createMemoryDriver } from "./memory-driver.ts";
export { openMemoryStore } from "./open-memory-store.ts";
export { type MemoryBounds, type MemoryStoreOptions, type RetentionOptions, resolveMemoryBounds } from "./options.ts";
