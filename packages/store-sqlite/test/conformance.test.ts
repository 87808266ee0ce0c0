import { join } from "node:path";
import { describeStoreConformance } from "@agentlightning/store-conformance";
import { createSqliteDriver } from "../src/index.ts";
import { makeDirectory, removeDirectory } from "./support.ts";

const directory = makeDirectory();

await describeStoreConformance({
  name: "store-sqlite",
  openDriver: ({ namespace }) => createSqliteDriver(join(directory, "store.db"), { namespace }),
  locate: () => directory,
  close: () => removeDirectory(directory),
});
