import { silentLogger } from "@agentlightning/core";
import { defineAgent, Runner } from "@agentlightning/runner";
import { openMemoryStore } from "@agentlightning/store-memory";
import { type Bench, median } from "./measure.ts";

/** Enqueue → agent started on an idle runner, and finish → a waiting algorithm knows. */
export const wakeUp: Bench = {
  name: "wake-up",
  async run({ short }) {
    const rounds = short ? 20 : 500;
    await using store = openMemoryStore();
    let startedAt = 0;
    let finishedAt = 0;
    const agent = defineAgent<number>(() => {
      startedAt = performance.now();
      return 1;
    });
    const stop = new AbortController();
    const runner = new Runner({
      store,
      agent,
      logger: silentLogger,
      hooks: [
        {
          onRolloutEnd: () => {
            finishedAt = performance.now();
          },
        },
      ],
    });
    const running = runner.run({ signal: stop.signal });
    const starts: number[] = [];
    const learned: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      const enqueuedAt = performance.now();
      const { rolloutId } = await store.enqueueRollout({ input: round });
      await store.waitForRollouts([rolloutId]);
      const knownAt = performance.now();
      starts.push(startedAt - enqueuedAt);
      learned.push(Math.abs(knownAt - finishedAt));
    }
    stop.abort();
    await running;
    const row = (what: string, values: readonly number[]) => ({
      what,
      ours: `${median(values).toFixed(3)} ms median`,
      reference: "one event-loop turn",
      ratio: "–",
      target: "< 2 ms",
    });
    return [row("enqueue → agent started (idle runner)", starts), row("finish → algorithm knows", learned)];
  },
};
