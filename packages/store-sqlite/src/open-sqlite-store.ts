import type { LightningStore } from "@agentlightning/core";
import { createStore } from "@agentlightning/store-kit";
import type { SqliteStoreOptions } from "./options.ts";
import { createSqliteDriver } from "./sqlite-driver.ts";

/**
 * Opens a store in a file, made where there is none. Any number of handles and processes of one machine may have it open.
 *
 * @throws invalid_options for a directory, a file that is not ours, or a missing parent directory; unsupported for a
 * file of a newer version; unavailable for one that cannot be opened, or is locked for longer than `busyTimeoutMs`
 */
export async function openSqliteStore(path: string, options: SqliteStoreOptions = {}): Promise<LightningStore> {
  const { runtime, deepFreeze, retention } = options;
  const driver = await createSqliteDriver(path, options);
  try {
    return createStore(driver, { runtime, deepFreeze, retention });
  } catch (error) {
    await driver.close();
    throw error;
  }
}
