import { type JsonCopyOptions, NotFoundError, type Span, type SpanInput } from "@agentlightning/core";
import { arriveFirstSpan, spanMovesAttempt } from "@agentlightning/core/lifecycle";
import { copySpan } from "./copy-span.ts";
import type { SpanDraft, StoreDriver } from "./driver.ts";
import type { Transitions } from "./transitions.ts";

interface Group {
  readonly rolloutId: string;
  readonly attemptId: string;
  readonly drafts: SpanDraft[];
}

/** Takes spans in: one check and one copy each, one status write for the first, one append a group. */
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
    const groups = new Map<string, Group>();
    for (const input of spans) {
      const draft = copySpan(input, this.#copyOptions);
      const { rolloutId, attemptId } = draft.span;
      const key = `${rolloutId}\u0000${attemptId}`;
      const group = groups.get(key) ?? { rolloutId, attemptId, drafts: [] };
      group.drafts.push(draft);
      groups.set(key, group);
    }
    for (const group of groups.values()) await this.#requireAttempt(group);
    const stored = new Map<string, Span>();
    for (const group of groups.values()) {
      for (const span of await this.#writeGroup(group)) stored.set(keyOf(span), span);
    }
    if (groups.size < 2) return [...stored.values()];
    return spans.flatMap((span) => {
      const found = stored.get(keyOf(span));
      stored.delete(keyOf(span));
      return found === undefined ? [] : [found];
    });
  }

  async #writeGroup({ rolloutId, attemptId, drafts }: Group): Promise<readonly Span[]> {
    const { nowMs } = this.#transitions.context();
    const appended = await this.#driver.appendSpans(rolloutId, attemptId, drafts, nowMs);
    if (appended.length === 0) return appended;
    // Duplicates alone move nothing. Spans before status: a reader that sees `running` finds the span that says so.
    await this.#transitions.apply(rolloutId, (record, context) => {
      const attempt = record.attempts.find((candidate) => candidate.attemptId === attemptId);
      if (attempt === undefined || !spanMovesAttempt(attempt)) return undefined;
      return { record: arriveFirstSpan(record, attempt, context), workers: [] };
    });
    return appended;
  }

  async #requireAttempt({ rolloutId, attemptId }: Group): Promise<void> {
    const record = await this.#transitions.require(rolloutId);
    if (record.attempts.some((attempt) => attempt.attemptId === attemptId)) return;
    throw attemptNotFound(rolloutId, attemptId);
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
