import {
  InvalidInputError,
  type JsonCopyOptions,
  LightningError,
  NotFoundError,
  type Span,
  type SpanInput,
} from "@agentlightning/core";
import { arriveFirstSpan, findAttempt, spanMovesAttempt } from "@agentlightning/core/lifecycle";
import { copySpan } from "./copy-span.ts";
import type { SpanDraft, StoreDriver } from "./driver.ts";
import type { Transitions } from "./transitions.ts";

/** The spans of one call that belong to one rollout, and which of its attempts they may set running. */
interface Group {
  readonly rolloutId: string;
  readonly drafts: SpanDraft[];
  readonly moving: Set<string>;
}

/** Takes spans in: one check and one copy each, one append a call, one status write for the first of an attempt. */
export class SpanWriter {
  readonly #driver: StoreDriver;
  readonly #transitions: Transitions;
  readonly #copyOptions: JsonCopyOptions;

  constructor(driver: StoreDriver, transitions: Transitions, copyOptions: JsonCopyOptions) {
    this.#driver = driver;
    this.#transitions = transitions;
    this.#copyOptions = copyOptions;
  }

  /** Stores spans; every one is checked, and every attempt found, before the first is written. Gives the new ones in input order. */
  async write(spans: readonly SpanInput[]): Promise<readonly Span[]> {
    if (!Array.isArray(spans)) throw new InvalidInputError({ message: "spans must be given as a list" });
    const groups = new Map<string, Group>();
    const order: string[] = [];
    for (const input of spans) {
      const draft = copySpan(input, this.#copyOptions);
      const { rolloutId } = draft.span;
      const group = groups.get(rolloutId);
      if (group === undefined) groups.set(rolloutId, { rolloutId, drafts: [draft], moving: new Set() });
      else group.drafts.push(draft);
      if (spans.length > 1) order.push(keyOf(draft.span));
    }
    if (groups.size === 0) return [];
    for (const group of groups.values()) await this.#requireAttempts(group);
    const appended = await this.#driver.appendSpans([...groups.values()], this.#transitions.context().nowMs);
    // Spans before status: a reader that sees `running` finds the span that says so. Duplicates alone move nothing.
    for (const { rolloutId, moving } of groups.values()) {
      for (const attemptId of moving) {
        const isNew = appended.some((span) => span.rolloutId === rolloutId && span.attemptId === attemptId);
        if (isNew) await this.#arrive(rolloutId, attemptId);
      }
    }
    if (groups.size === 1) return appended;
    const byKey = new Map(appended.map((span) => [keyOf(span), span]));
    return [...new Set(order)].flatMap((key) => byKey.get(key) ?? []);
  }

  async #arrive(rolloutId: string, attemptId: string): Promise<void> {
    await this.#transitions.apply(rolloutId, (record, context) => {
      const attempt = findAttempt(record, attemptId);
      if (attempt === undefined || !spanMovesAttempt(attempt)) return undefined;
      return { record: arriveFirstSpan(record, attempt, context), workers: [] };
    });
  }

  async #requireAttempts({ rolloutId, drafts, moving }: Group): Promise<void> {
    const record = await this.#transitions.require(rolloutId);
    for (const { span } of drafts) {
      const attempt = findAttempt(record, span.attemptId);
      if (attempt === undefined) throw attemptNotFound(rolloutId, span.attemptId);
      if (spanMovesAttempt(attempt)) moving.add(span.attemptId);
    }
  }

  /** As many numbers as pairs, in input order; nothing is taken unless every rollout exists. */
  async reserve(pairs: readonly (readonly [rolloutId: string, attemptId: string])[]): Promise<readonly number[]> {
    const counts = new Map<string, number>();
    for (const [rolloutId] of pairs) counts.set(rolloutId, (counts.get(rolloutId) ?? 0) + 1);
    for (const rolloutId of counts.keys()) await this.#transitions.require(rolloutId);
    const next = new Map<string, number>();
    for (const [rolloutId, count] of counts) {
      const first = await this.#driver.reserveSequence(rolloutId, count);
      if (first === undefined) await this.#transitions.require(rolloutId);
      else next.set(rolloutId, first);
    }
    return pairs.map(([rolloutId]) => {
      const number = next.get(rolloutId);
      if (number === undefined) throw new LightningError({ code: "invariant", message: "a number was not given" });
      next.set(rolloutId, number + 1);
      return number;
    });
  }
}

function keyOf(span: Pick<Span, "rolloutId" | "attemptId" | "spanId">): string {
  return `${span.rolloutId}\u0000${span.attemptId}\u0000${span.spanId}`;
}

/** What a call about an unknown attempt is answered with. */
export function attemptNotFound(rolloutId: string, attemptId: string): NotFoundError {
  return new NotFoundError({
    code: "attempt_not_found",
    message: `Attempt ${attemptId} not found for rollout ${rolloutId}`,
    details: { rolloutId, attemptId },
  });
}
