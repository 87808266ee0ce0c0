import type { LightningStore, Runtime } from "@agentlightning/core";
import type { Awaitable, StoreDriver } from "@agentlightning/store-kit";

/** What a handle is opened with. */
export interface OpenOptions {
  /** Handles of one namespace see the same data, those of different namespaces nothing of each other. */
  readonly namespace: string;
  /** Clock, randomness and ids to be used; a store whose backend owns the clock takes ids and randomness from it. */
  readonly runtime: Runtime;
}

/** How the suite gets at the store that it judges. */
export interface StoreFixture {
  /** Names the store in reports. */
  readonly name: string;
  /** Opens a handle; needed where `openDriver` is not given. */
  open?(options: OpenOptions): Awaitable<LightningStore>;
  /** Opens a driver. The suite makes stores of it with `createStore`, and races of its operations through a gate. */
  openDriver?(options: OpenOptions): Awaitable<StoreDriver>;
  /** Whose clock decides about deadlines: the runtime's, which the suite moves by hand, or the backend's, which it waits for. @defaultValue "injected" */
  readonly clock?: "injected" | "backend" | undefined;
  /** One unit of the suite's time where the backend owns the clock, in milliseconds: long enough that its delays do not matter. @defaultValue 400 */
  readonly unitMs?: number | undefined;
  /** Only one handle at a time may be open on a namespace. @defaultValue false */
  readonly isSingleHandle?: boolean | undefined;
  /** Deletes what a namespace holds; called after a case that passed. */
  drop?(namespace: string): Awaitable<void>;
  /** Where the data of a namespace is, for the message of a case that failed. */
  locate?(namespace: string): string;
  /** Called when the suite is over. */
  close?(): Awaitable<void>;
}
