import type { JsonCopyOptions, Runtime } from "@agentlightning/core";
import type { StoreDriver } from "./driver.ts";
import type { Retention } from "./retention.ts";
import type { Sweeper } from "./sweeper.ts";
import type { Transitions } from "./transitions.ts";

/** What the parts of a store share. */
export interface StoreParts {
  readonly driver: StoreDriver;
  readonly transitions: Transitions;
  readonly retention: Retention;
  readonly sweeper: Sweeper;
  readonly runtime: Runtime;
  readonly copyOptions: JsonCopyOptions;
}
