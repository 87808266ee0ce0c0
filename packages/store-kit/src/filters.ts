import type {
  ResourcesQuery,
  ResourcesUpdate,
  RolloutQuery,
  Span,
  SpanQuery,
  Worker,
  WorkerQuery,
} from "@agentlightning/core";
import type { RolloutRecord } from "@agentlightning/core/lifecycle";
import { pool } from "./select-page.ts";

type Condition<T> = (item: T) => boolean;

function given<T>(conditions: readonly (Condition<T> | undefined)[]): readonly Condition<T>[] {
  return conditions.filter((condition) => condition !== undefined);
}

/** @param query - Its paging is not looked at. */
export function rolloutFilter(query: RolloutQuery): Condition<RolloutRecord> {
  const { statusIn, rolloutIdIn, rolloutIdContains, filterLogic } = query;
  const ids = rolloutIdIn === undefined ? undefined : new Set(rolloutIdIn);
  return pool(
    given<RolloutRecord>([
      statusIn === undefined ? undefined : ({ rollout }) => statusIn.includes(rollout.status),
      ids === undefined ? undefined : ({ rollout }) => ids.has(rollout.rolloutId),
      rolloutIdContains === undefined ? undefined : ({ rollout }) => rollout.rolloutId.includes(rolloutIdContains),
    ]),
    filterLogic,
  );
}

function textConditions<T>(
  read: (item: T) => string | undefined,
  exact: string | undefined,
  contains: string | undefined,
) {
  return [
    exact === undefined ? undefined : (item: T) => read(item) === exact,
    contains === undefined ? undefined : (item: T) => read(item)?.includes(contains) === true,
  ];
}

/** The attempt always restricts; the other conditions are pooled. */
export function spanFilter(query: SpanQuery): Condition<Span> {
  const { attemptId } = query;
  const pooled = pool(
    given<Span>([
      ...textConditions<Span>((span) => span.traceId, query.traceId, query.traceIdContains),
      ...textConditions<Span>((span) => span.spanId, query.spanId, query.spanIdContains),
      ...textConditions<Span>((span) => span.parentId, query.parentId, query.parentIdContains),
      ...textConditions<Span>((span) => span.name, query.name, query.nameContains),
    ]),
    query.filterLogic,
  );
  return attemptId === undefined ? pooled : (span) => span.attemptId === attemptId && pooled(span);
}

/** @param query - Its paging is not looked at. */
export function workerFilter(query: WorkerQuery): Condition<Worker> {
  const { statusIn, workerIdContains, filterLogic } = query;
  return pool(
    given<Worker>([
      statusIn === undefined ? undefined : ({ status }) => statusIn.includes(status),
      workerIdContains === undefined ? undefined : ({ workerId }) => workerId.includes(workerIdContains),
    ]),
    filterLogic,
  );
}

/** Both conditions hold; its paging is not looked at. */
export function resourcesFilter(query: ResourcesQuery): Condition<ResourcesUpdate> {
  const { resourcesId, resourcesIdContains } = query;
  return pool(
    given(textConditions<ResourcesUpdate>((update) => update.resourcesId, resourcesId, resourcesIdContains)),
    "and",
  );
}
