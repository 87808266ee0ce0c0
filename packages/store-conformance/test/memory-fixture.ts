import { createMemoryDriver, MemoryDatabase, resolveMemoryLimits } from "@agentlightning/store-memory";
import type { StoreFixture } from "../src/fixture.ts";

/** The embedded store, each fixture on a database of its own. */
export function memoryFixture(): StoreFixture {
  const database = new MemoryDatabase();
  return {
    name: "store-memory",
    openDriver: ({ namespace }) => createMemoryDriver(database.namespace(namespace), resolveMemoryLimits()),
    drop: (namespace) => database.drop(namespace),
  };
}
