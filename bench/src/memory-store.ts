import type { SpanInput } from "@agentlightning/core";
import { openMemoryStore } from "@agentlightning/store-memory";
import { type Bench, sideBySide, timeMs } from "./measure.ts";
import { PlainMaps } from "./plain-maps.ts";

const spansPerRollout = 10;

/** What an ordinary model call carries: 20 attributes, 2 events. Made once: making it is the agent's work, not the store's. */
function realisticContent(index: number): Omit<SpanInput, "rolloutId" | "attemptId"> {
  const attributes: Record<string, string | number | boolean> = {};
  for (let at = 0; at < 14; at += 1) attributes[`gen_ai.request.option_${at}`] = `value ${at} of ${index}`;
  for (let at = 0; at < 4; at += 1) attributes[`gen_ai.usage.counter_${at}`] = at * index;
  attributes["gen_ai.prompt"] = "What is the capital of France, and how far is it from Berlin?";
  attributes["gen_ai.stream"] = true;
  const event = (name: string) => ({ name, attributes: { first: "token", at: index }, timestampMs: index });
  return {
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: index.toString(16).padStart(16, "0"),
    name: "chat gpt-4.1",
    status: { statusCode: "OK" },
    attributes,
    events: [event("first_token"), event("last_token")],
    links: [],
    startTimeMs: 1_700_000_000_000 + index,
    endTimeMs: 1_700_000_000_010 + index,
    resource: { attributes: { "service.name": "bench" }, schemaUrl: "" },
  };
}

const contents = Array.from({ length: spansPerRollout }, (_, index) => realisticContent(index));

function spansOf(rolloutId: string, attemptId: string): readonly SpanInput[] {
  return contents.map((content) => ({ ...content, rolloutId, attemptId }));
}

function plainLoop(rollouts: number): void {
  const maps = new PlainMaps();
  for (let index = 0; index < rollouts; index += 1) {
    maps.enqueue({ task: index });
    const claimed = maps.claim();
    if (claimed?.attemptId === undefined) throw new Error("nothing to claim");
    for (const span of spansOf(claimed.rolloutId, claimed.attemptId)) maps.addSpan(claimed.rolloutId, span);
    maps.finish(claimed.rolloutId);
    if (maps.query(claimed.rolloutId).length !== spansPerRollout) throw new Error("spans are missing");
  }
}

async function storeLoop(rollouts: number, together: boolean): Promise<void> {
  const store = openMemoryStore();
  for (let index = 0; index < rollouts; index += 1) {
    await store.enqueueRollout({ input: { task: index } });
    const claimed = await store.dequeueRollout();
    if (claimed === undefined) throw new Error("nothing to claim");
    const { rolloutId, attempt } = claimed;
    const spans = spansOf(rolloutId, attempt.attemptId);
    if (together) await store.addManySpans(spans);
    else for (const span of spans) await store.addSpan(span);
    await store.updateAttempt(rolloutId, attempt.attemptId, { status: "succeeded" });
    if ((await store.querySpans(rolloutId)).total !== spansPerRollout) throw new Error("spans are missing");
  }
  await store.close();
}

/** A whole rollout with ten spans, against maps and arrays with one copy a span. */
export const memoryStore: Bench = {
  name: "memory-store",
  async run({ short }) {
    const rollouts = short ? 500 : 5_000;
    const rows = [];
    for (const together of [false, true]) {
      const result = await sideBySide(
        short ? 1 : 7,
        () => timeMs(() => storeLoop(rollouts, together)),
        () => timeMs(async () => plainLoop(rollouts)),
      );
      const each = (ms: number): string => `${((ms * 1_000) / rollouts).toFixed(1)} µs`;
      rows.push({
        what: `whole rollout, ${spansPerRollout} spans ${together ? "in one call" : "one by one"}`,
        ours: each(result.ours),
        reference: `${each(result.reference)} (plain maps, one copy a span)`,
        ratio: result.ratio.toFixed(2),
        target: "≤ 2",
      });
    }
    return rows;
  },
};
