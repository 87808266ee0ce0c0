export { openMemoryStore } from "./open-memory-store.ts";
export type { MemoryStoreOptions, RetentionOptions } from "./options.ts";
