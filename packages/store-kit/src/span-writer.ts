import {
  InvalidInputError,
  type JsonCopyOptions,
  LightningError,
  NotFoundError,
  type Span,
  type SpanInput,
} from "@agentlightning/core";
import { arriveFirstSpan, findAttempt, type RolloutRecord, spanMovesAttempt } from "@agentlightning/core/lifecycle";
import { type Awaitable, chain, chainEach } from "./awaitable.ts";
import { copySpan } from "./copy-span.ts";
import type { SpanDraft, StoreDriver } from "./driver.ts";
import type { Retention } from "./retention.ts";
import type { Transitions } from "./transitions.ts";
import { checkText } from "./validate.ts";

/** The spans of one call that belong to one rollout. */
interface Group {
  readonly rolloutId: string;
  readonly drafts: SpanDraft[];
}

/** An attempt that its spans may set running. */
interface Moving {
  readonly rolloutId: string;
  readonly attemptId: string;
}

const nobody: readonly Moving[] = [];

/** Takes spans in: one check and one copy each, one append a call, one status write for the first of an attempt. */
export class SpanWriter {
  readonly #driver: StoreDriver;
  readonly #transitions: Transitions;
  readonly #retention: Retention;
  readonly #copyOptions: JsonCopyOptions;

  constructor(driver: StoreDriver, transitions: Transitions, retention: Retention, copyOptions: JsonCopyOptions) {
    this.#driver = driver;
    this.#transitions = transitions;
    this.#retention = retention;
    this.#copyOptions = copyOptions;
  }

  /** Stores one span; `undefined` for a duplicate. */
  writeOne(input: SpanInput): Awaitable<Span | undefined> {
    const draft = copySpan(input, this.#copyOptions);
    const { rolloutId, attemptId } = draft.span;
    const groups: readonly Group[] = [{ rolloutId, drafts: [draft] }];
    return chain(this.#transitions.require(rolloutId), (record) => {
      const attempt = findAttempt(record, attemptId);
      if (attempt === undefined) throw attemptNotFound(rolloutId, attemptId);
      const moving = spanMovesAttempt(attempt) ? [{ rolloutId, attemptId }] : nobody;
      return chain(this.#append(groups, moving), ([stored]) => stored);
    });
  }

  /** Stores spans; every one is checked, and every attempt found, before the first is written. Gives the new ones in input order. */
  write(spans: readonly SpanInput[]): Awaitable<readonly Span[]> {
    if (!Array.isArray(spans)) throw new InvalidInputError({ message: "spans must be given as a list" });
    const drafts = Array.from(spans, (input: SpanInput) => copySpan(input, this.#copyOptions));
    const groups = new Map<string, Group>();
    for (const draft of drafts) {
      const { rolloutId } = draft.span;
      const group = groups.get(rolloutId);
      if (group === undefined) groups.set(rolloutId, { rolloutId, drafts: [draft] });
      else group.drafts.push(draft);
    }
    if (groups.size === 0) return [];
    return chain(this.#writeGroups([...groups.values()]), (stored) => {
      if (groups.size === 1) return stored;
      const byKey = new Map(stored.map((span) => [keyOf(span), span]));
      return [...new Set(drafts.map(({ span }) => keyOf(span)))].flatMap((key) => byKey.get(key) ?? []);
    });
  }

  #writeGroups(groups: readonly Group[]): Awaitable<readonly Span[]> {
    const moving: Moving[] = [];
    const checked = chainEach(groups, (group) =>
      chain(this.#transitions.require(group.rolloutId), (record) => noteMoving(record, group, moving)),
    );
    return chain(checked, () => this.#append(groups, moving));
  }

  #append(groups: readonly Group[], moving: readonly Moving[]): Awaitable<readonly Span[]> {
    const appended = chain(this.#makeRoom(groups), () => this.#driver.appendSpans(groups, this.#transitions.nowMs()));
    // Spans before status: a reader that sees `running` finds the span that says so. Duplicates alone move nothing.
    return chain(appended, (spans) => {
      if (moving.length === 0) return spans;
      const arrivals = moving.filter(({ rolloutId, attemptId }) =>
        spans.some((span) => span.rolloutId === rolloutId && span.attemptId === attemptId),
      );
      return chain(
        chainEach(arrivals, (arrival) => this.#arrive(arrival)),
        () => spans,
      );
    });
  }

  /** @throws store_full */
  #makeRoom(groups: readonly Group[]): Awaitable<void> {
    if (!this.#retention.boundsSpanBytes) return undefined;
    let bytes = 0;
    for (const { drafts } of groups) for (const draft of drafts) bytes += draft.bytes;
    return this.#retention.makeRoom(bytes, new Set(groups.map(({ rolloutId }) => rolloutId)));
  }

  #arrive({ rolloutId, attemptId }: Moving): Awaitable<unknown> {
    return this.#transitions.apply(rolloutId, (record, context) => {
      const attempt = findAttempt(record, attemptId);
      if (attempt === undefined || !spanMovesAttempt(attempt)) return undefined;
      return { record: arriveFirstSpan(record, attempt, context), workers: [] };
    });
  }

  /** As many numbers as pairs, in input order; nothing is taken unless every rollout exists. */
  async reserve(pairs: readonly (readonly [rolloutId: string, attemptId: string])[]): Promise<readonly number[]> {
    checkPairs(pairs);
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

/** @throws invalid_input */
function checkPairs(pairs: readonly (readonly [rolloutId: string, attemptId: string])[]): void {
  if (!Array.isArray(pairs))
    throw new InvalidInputError({ message: "rollout and attempt ids must be given as a list" });
  // By index: a hole in the list is refused, too.
  for (let index = 0; index < pairs.length; index += 1) {
    const pair: unknown = pairs[index];
    if (!Array.isArray(pair))
      throw new InvalidInputError({ message: "a rollout and attempt id must be given as a pair" });
    checkText(pair[0], "rolloutId");
    checkText(pair[1], "attemptId");
  }
}

/** Finds the attempt of every span, and notes those that the spans set running. @throws attempt_not_found */
function noteMoving(record: RolloutRecord, { rolloutId, drafts }: Group, moving: Moving[]): void {
  let lastId: string | undefined;
  for (const { span } of drafts) {
    const { attemptId } = span;
    if (attemptId === lastId) continue;
    lastId = attemptId;
    const attempt = findAttempt(record, attemptId);
    if (attempt === undefined) throw attemptNotFound(rolloutId, attemptId);
    if (
      spanMovesAttempt(attempt) &&
      !moving.some((known) => known.rolloutId === rolloutId && known.attemptId === attemptId)
    ) {
      moving.push({ rolloutId, attemptId });
    }
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
