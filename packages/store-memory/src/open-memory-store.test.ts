import { createTestRuntime } from "@agentlightning/core/testing";
import { expect, test } from "vitest";
import { openMemoryStore } from "./open-memory-store.ts";

test("a rollout goes from the queue through an attempt and its spans to its end", async () => {
  await using store = openMemoryStore({ runtime: createTestRuntime(), deepFreeze: true });
  const queued = await store.enqueueRollout({ input: { question: "2 + 2" } });
  const claimed = await store.dequeueRollout({ workerId: "w-1" });
  expect(claimed).toMatchObject({ rolloutId: queued.rolloutId, status: "preparing", attempt: { sequenceId: 1 } });
});
