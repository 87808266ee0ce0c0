import type { JsonObject, JsonValue, SpanInput } from "@agentlightning/core";

interface PlainRollout {
  readonly rolloutId: string;
  readonly input: JsonValue;
  status: string;
  attemptId?: string;
  counter: number;
  readonly spans: unknown[];
}

function copy(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  const out: Record<string, JsonValue> = {};
  const source = value as JsonObject;
  for (const key in source) out[key] = copy(source[key] ?? null);
  return out;
}

/** The limit: what a store does at the least, in maps and arrays, with one copy a span and no checks. */
export class PlainMaps {
  readonly #rollouts = new Map<string, PlainRollout>();
  readonly #queue: string[] = [];
  #next = 0;
  #ids = 0;

  enqueue(input: JsonValue): string {
    this.#ids += 1;
    const rolloutId = `ro-${this.#ids}`;
    this.#rollouts.set(rolloutId, { rolloutId, input, status: "queuing", counter: 0, spans: [] });
    this.#queue.push(rolloutId);
    return rolloutId;
  }

  claim(): PlainRollout | undefined {
    const rolloutId = this.#queue[this.#next];
    if (rolloutId === undefined) return undefined;
    this.#next += 1;
    const rollout = this.#rollouts.get(rolloutId);
    if (rollout === undefined) return undefined;
    rollout.status = "preparing";
    this.#ids += 1;
    rollout.attemptId = `at-${this.#ids}`;
    return rollout;
  }

  addSpan(rolloutId: string, span: SpanInput): void {
    const rollout = this.#rollouts.get(rolloutId);
    if (rollout === undefined) throw new Error(rolloutId);
    rollout.counter += 1;
    rollout.status = "running";
    rollout.spans.push({ ...(copy(span as never) as object), sequenceId: rollout.counter });
  }

  finish(rolloutId: string): void {
    const rollout = this.#rollouts.get(rolloutId);
    if (rollout !== undefined) rollout.status = "succeeded";
  }

  query(rolloutId: string): readonly unknown[] {
    return this.#rollouts.get(rolloutId)?.spans.slice() ?? [];
  }
}
