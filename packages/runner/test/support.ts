import type { LightningStore, Logger, Span } from "@agentlightning/core";
import { findFinalReward } from "@agentlightning/core";
import { openMemoryStore } from "@agentlightning/store-memory";
import { expect, onTestFinished } from "vitest";
import { type Agent, Runner, type RunnerOptions, type RunnerSummary } from "../src/index.ts";

/** A logger whose lines can be looked at. */
export function recordingLogger(): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  const at =
    (level: string): Logger["info"] =>
    (message) =>
      void lines.push(`${level} ${message}`);
  return { lines, logger: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") } };
}

/** The same store, with some methods replaced. */
export function withFaults(store: LightningStore, faults: Partial<LightningStore>): LightningStore {
  return new Proxy(store, {
    get(target, key) {
      const replaced: unknown = Reflect.get(faults, key);
      if (replaced !== undefined) return replaced;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Looks again until it holds, as long as the test may take. */
export function eventually<T>(look: () => T) {
  return expect.poll(look, { timeout: 4_000, interval: 1 });
}

/** A promise with its switch, and whether it was thrown. */
export function gate<T = void>(): PromiseWithResolvers<T> {
  return Promise.withResolvers<T>();
}

/** A memory store that is closed when the test is over. */
export function openStore(options: Parameters<typeof openMemoryStore>[0] = {}): LightningStore {
  const store = openMemoryStore({ deepFreeze: true, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** What the store has of one rollout. */
export interface Stored {
  readonly rollout: string;
  readonly attempts: readonly string[];
  readonly error: string | undefined;
  readonly endReason: string | undefined;
  readonly reward: number | undefined;
  readonly spans: readonly Span[];
}

export async function stored(store: LightningStore, rolloutId: string): Promise<Stored> {
  const rollout = await store.getRolloutById(rolloutId);
  const attempts = await store.queryAttempts(rolloutId);
  const spans = await store.querySpans(rolloutId, { attemptId: "latest" });
  return {
    rollout: rollout?.status ?? "unknown",
    attempts: attempts.items.map((attempt) => attempt.status),
    error: attempts.items.at(-1)?.error,
    endReason: attempts.items.at(-1)?.endReason,
    reward: findFinalReward(spans),
    spans: spans.items,
  };
}

/** Runs one rollout through a runner that ends after it. */
export async function runOne<TInput>(
  agent: Agent<unknown, TInput>,
  options: Partial<RunnerOptions<TInput>> & {
    readonly input?: TInput;
    readonly request?: Partial<Parameters<LightningStore["enqueueRollout"]>[0]>;
  } = {},
): Promise<
  Stored & { readonly rolloutId: string; readonly summary: RunnerSummary; readonly lines: readonly string[] }
> {
  const { input, request, ...rest } = options;
  const store = rest.store ?? openStore();
  const { logger, lines } = recordingLogger();
  const { rolloutId } = await store.enqueueRollout({ input: input ?? "task", ...request });
  const runner = new Runner({ logger, maxRollouts: 1, ...rest, store, agent });
  const summary = await runner.run();
  return { ...(await stored(store, rolloutId)), rolloutId, summary, lines };
}

/** A runner that is stopped, with no grace, when the test is over. */
export function startRunner<TInput>(options: RunnerOptions<TInput>): {
  readonly runner: Runner<TInput>;
  readonly running: Promise<RunnerSummary>;
} {
  const { logger } = recordingLogger();
  const runner = new Runner({ logger, graceMs: 0, settleMs: 0, ...options });
  const running = runner.run();
  running.catch(() => undefined);
  onTestFinished(() => runner.stop());
  return { runner, running };
}
