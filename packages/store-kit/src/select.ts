import {
  createPage,
  type Page,
  type ResourcesQuery,
  type ResourcesUpdate,
  type RolloutQuery,
  type Span,
  type SpanQuery,
  type Worker,
  type WorkerQuery,
} from "@agentlightning/core";
import type { RolloutRecord } from "@agentlightning/core/lifecycle";
import { resourcesFilter, rolloutFilter, spanFilter, workerFilter } from "./filters.ts";
import { compareValues, selectPage } from "./select-page.ts";

/** The page of a rollout query. @param records - In the order in which they were made. */
export function selectRollouts(records: Iterable<RolloutRecord>, query: RolloutQuery): Page<RolloutRecord> {
  return selectPage(
    Array.from(records).filter(rolloutFilter(query)),
    query,
    (record, field) => record.rollout[field as "status"],
    (a, b) => compareValues(a.rollout.rolloutId, b.rollout.rolloutId),
  );
}

/** The page of a span query. @param spans - Those of one rollout, in any order. */
export function selectSpans(spans: readonly Span[], query: SpanQuery): Page<Span> {
  const filter = spanFilter(query);
  const matches = filter === undefined ? spans : spans.filter(filter);
  if (matches.length === 0) return createPage([], 0, query.limit ?? -1, query.offset ?? 0);
  const { sortBy = "sequenceId", sortOrder, limit, offset } = query;
  // The way spans are stored is mostly the way they are asked for.
  const isSorted = sortBy === "sequenceId" && sortOrder !== "desc" && areNumbered(matches);
  const paging = isSorted ? { limit, offset } : { sortBy, sortOrder, limit, offset };
  return selectPage(matches, paging, (span, field) => span[field as "name"], compareSpans);
}

/** Whether spans stand in the order of their numbers, none twice. */
function areNumbered(spans: readonly Span[]): boolean {
  let last = Number.NEGATIVE_INFINITY;
  for (const { sequenceId } of spans) {
    if (sequenceId <= last) return false;
    last = sequenceId;
  }
  return true;
}

/** The page of a resources query. @param updates - In the order of creation. */
export function selectResources(updates: Iterable<ResourcesUpdate>, query: ResourcesQuery): Page<ResourcesUpdate> {
  return selectPage(
    Array.from(updates).filter(resourcesFilter(query)),
    query,
    (update, field) => update[field as "version"],
    (a, b) => compareValues(a.resourcesId, b.resourcesId),
  );
}

/** The page of a worker query. @param workers - In the order of registration. */
export function selectWorkers(workers: Iterable<Worker>, query: WorkerQuery): Page<Worker> {
  return selectPage(
    Array.from(workers).filter(workerFilter(query)),
    query,
    (worker, field) => worker[field as "status"],
    (a, b) => compareValues(a.workerId, b.workerId),
  );
}

/** Ties of a span query: start, end, id. */
function compareSpans(a: Span, b: Span): number {
  return (
    compareValues(a.startTimeMs, b.startTimeMs) ||
    compareValues(a.endTimeMs, b.endTimeMs) ||
    compareValues(a.spanId, b.spanId) ||
    compareValues(a.attemptId, b.attemptId)
  );
}
