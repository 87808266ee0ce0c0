import {
  type Attempt,
  type AttemptSort,
  createPage,
  type Page,
  type PageQuery,
  type Rollout,
  type RolloutQuery,
  type Span,
  type SpanQuery,
} from "@agentlightning/core";
import { latestAttempt, presentRollout, type RolloutRecord } from "@agentlightning/core/lifecycle";
import { type Awaitable, chain } from "./awaitable.ts";
import { checkAttemptQuery, checkRolloutQuery, checkSpanQuery } from "./check-query.ts";
import type { StoreDriver } from "./driver.ts";
import type { Retention } from "./retention.ts";
import { selectPage } from "./select-page.ts";
import { evictedError } from "./transitions.ts";
import { checkText } from "./validate.ts";

/** Answers questions about rollouts; an unknown id is no error, a dropped one is. */
export class Reader {
  readonly #driver: StoreDriver;
  readonly #retention: Retention;

  constructor(driver: StoreDriver, retention: Retention) {
    this.#driver = driver;
    this.#retention = retention;
  }

  /** @throws evicted */
  #record(rolloutId: string): Awaitable<RolloutRecord | undefined> {
    checkText(rolloutId, "rolloutId");
    return chain(this.#driver.readRollout(rolloutId), (record) => {
      if (record === undefined && this.#retention.hasDropped(rolloutId)) throw evictedError(rolloutId);
      return record;
    });
  }

  rollout(rolloutId: string): Awaitable<Rollout | undefined> {
    return chain(this.#record(rolloutId), (record) => (record === undefined ? undefined : presentRollout(record)));
  }

  async rollouts(query: RolloutQuery): Promise<Page<Rollout>> {
    checkRolloutQuery(query);
    const { items, total, limit, offset } = await this.#driver.queryRollouts(query);
    return createPage(items.map(presentRollout), total, limit, offset);
  }

  async attempts(rolloutId: string, query: PageQuery<AttemptSort>): Promise<Page<Attempt>> {
    checkAttemptQuery(query);
    const record = await this.#record(rolloutId);
    return selectPage(
      record?.attempts ?? [],
      { ...query, sortBy: query.sortBy ?? "sequenceId" },
      (attempt, field) => attempt[field as AttemptSort],
      (a, b) => a.sequenceId - b.sequenceId,
    );
  }

  spans(rolloutId: string, query: SpanQuery): Awaitable<Page<Span>> {
    checkSpanQuery(query);
    return chain(this.#record(rolloutId), (record) => {
      const isLatest = query.attemptId === "latest";
      const attemptId = isLatest && record !== undefined ? latestAttempt(record)?.attemptId : query.attemptId;
      if (record === undefined || (isLatest && attemptId === undefined)) {
        return createPage([], 0, query.limit ?? -1, query.offset ?? 0);
      }
      return this.#driver.querySpans(rolloutId, isLatest ? { ...query, attemptId } : query);
    });
  }
}
