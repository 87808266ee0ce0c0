export { openSqliteStore } from "./open-sqlite-store.ts";
export type { SqliteDriverOptions, SqliteStoreOptions } from "./options.ts";
export { createSqliteDriver } from "./sqlite-driver.ts";
