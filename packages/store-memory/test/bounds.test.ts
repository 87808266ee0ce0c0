import { expect, test } from "vitest";
import { codeOf, openTestStore, span } from "./support.ts";

test("an input, a span and metadata over their bounds are too large", async () => {
  const { store } = openTestStore({ maxInputBytes: 1_000, maxSpanBytes: 1_000 });
  const text = "x".repeat(1_001);
  expect(await codeOf(store.enqueueRollout({ input: text }))).toBe("too_large");
  const { attempt } = await store.startRollout({ input: null });
  expect(await codeOf(store.addSpan(span(attempt, { attributes: { text } })))).toBe("too_large");
  expect(await codeOf(store.enqueueRollout({ input: null, metadata: { text: "x".repeat(70_000) } }))).toBe("too_large");
});
