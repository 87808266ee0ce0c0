import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Page, Span, SpanQuery } from "@agentlightning/core";
import { selectSpans, type SpanDraft } from "@agentlightning/store-kit";
import { decodeSpan } from "./decode.ts";
import { numberOf } from "./rows.ts";
import { encodeKey, encodeValue } from "./value-codec.ts";
import type { Writer } from "./writer.ts";

/** The spans of all rollouts. */
export class SpanTable {
  readonly #writer: Writer;
  readonly #has: StatementSync;
  readonly #insert: StatementSync;
  readonly #ofRollout: StatementSync;
  readonly #ofAttempt: StatementSync;
  readonly #sum: StatementSync;
  readonly #delete: StatementSync;

  constructor(db: DatabaseSync, writer: Writer) {
    this.#writer = writer;
    this.#has = db.prepare("SELECT 1 FROM spans WHERE rollout = ? AND attemptKey = ? AND spanKey = ?");
    this.#insert = db.prepare("INSERT INTO spans (rollout, attemptKey, spanKey, bytes, span) VALUES (?, ?, ?, ?, ?)");
    this.#ofRollout = db.prepare("SELECT span FROM spans WHERE rollout = ? ORDER BY id");
    this.#ofAttempt = db.prepare("SELECT span FROM spans WHERE rollout = ? AND attemptKey = ? ORDER BY id");
    this.#sum = db.prepare("SELECT count(*) AS spans, total(bytes) AS bytes FROM spans WHERE rollout = ?");
    this.#delete = db.prepare("DELETE FROM spans WHERE rollout = ?");
  }

  /** The drafts that are not stored yet, each key once. */
  fresh(rollout: number, drafts: readonly SpanDraft[]): readonly SpanDraft[] {
    const seen = new Set<string>();
    return drafts.filter(({ span }) => {
      const attemptKey = encodeKey(span.attemptId);
      const spanKey = encodeKey(span.spanId);
      const key = `${attemptKey}\u0000${spanKey}`;
      if (seen.has(key) || this.#has.get(rollout, attemptKey, spanKey) !== undefined) return false;
      seen.add(key);
      return true;
    });
  }

  /** Stores spans made of drafts that are new. */
  add(rollout: number, spans: readonly Span[], drafts: readonly SpanDraft[]): void {
    const { ledger } = this.#writer.current;
    spans.forEach((span, index) => {
      const bytes = Math.ceil(drafts[index]?.bytes ?? 0);
      this.#insert.run(rollout, encodeKey(span.attemptId), encodeKey(span.spanId), bytes, encodeValue(span));
      ledger.spanBytes += bytes;
    });
    ledger.spans += spans.length;
  }

  query(rollout: number, query: SpanQuery): Page<Span> {
    const { attemptId } = query;
    const rows =
      attemptId === undefined ? this.#ofRollout.all(rollout) : this.#ofAttempt.all(rollout, encodeKey(attemptId));
    return selectSpans(rows.map(decodeSpan), query);
  }

  drop(rollout: number): void {
    const { ledger } = this.#writer.current;
    const row = this.#sum.get(rollout) ?? {};
    ledger.spans -= numberOf(row, "spans");
    ledger.spanBytes -= numberOf(row, "bytes");
    this.#delete.run(rollout);
  }
}
