import { type LightningStore, type Runtime, systemRuntime } from "@agentlightning/core";
import { DriverStore } from "./driver-store.ts";
import type { StoreDriver } from "./driver.ts";
import type { RetentionOptions } from "./retention-options.ts";

export type { RetentionOptions } from "./retention-options.ts";

/** Options of {@link createStore}. */
export interface StoreOptions {
  /** Clock, randomness and ids; for tests and simulation. @defaultValue the process's own */
  readonly runtime?: Runtime | undefined;
  /** Freeze what goes in at every level, to find code that changes records. @defaultValue false */
  readonly deepFreeze?: boolean | undefined;
  /** @defaultValue keep everything */
  readonly retention?: RetentionOptions | undefined;
}

/** Makes a whole `LightningStore` of a driver. @throws invalid_options for bounds of retention that are none */
export function createStore(driver: StoreDriver, options: StoreOptions = {}): LightningStore {
  return new DriverStore(driver, {
    runtime: options.runtime ?? systemRuntime,
    deepFreeze: options.deepFreeze ?? false,
    retention: options.retention,
  });
}
