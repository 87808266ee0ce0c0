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

const spanTexts = ["traceId", "spanId", "parentId", "name"] as const;

/** The attempt always restricts; the other conditions are pooled. `undefined` when every span is asked for. */
export function spanFilter(query: SpanQuery): Condition<Span> | undefined {
  const { attemptId } = query;
  const conditions: Condition<Span>[] = [];
  for (const field of spanTexts) {
    const exact = query[field];
    const contained = query[`${field}Contains`];
    if (exact !== undefined) conditions.push((span) => span[field] === exact);
    if (contained !== undefined) conditions.push((span) => span[field]?.includes(contained) === true);
  }
  if (conditions.length === 0) return attemptId === undefined ? undefined : (span) => span.attemptId === attemptId;
  const pooled = pool(conditions, query.filterLogic);
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
