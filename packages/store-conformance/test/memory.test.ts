import { describeStoreConformance } from "../src/index.ts";
import { memoryFixture } from "./memory-fixture.ts";

await describeStoreConformance(memoryFixture());
