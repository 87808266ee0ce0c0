import type { RolloutStatus } from "./rollout.ts";
import type { attemptSorts, resourcesSorts, rolloutSorts, spanSorts, workerSorts } from "./sorts.ts";
import type { WorkerStatus } from "./worker.ts";

/** Sorting and paging of a query. */
export interface PageQuery<TSort extends string> {
  /** Ties are broken by id, so that pages never overlap. */
  readonly sortBy?: TSort | undefined;
  /** @defaultValue "asc" */
  readonly sortOrder?: "asc" | "desc" | undefined;
  /** At least 0, or -1 for all. @defaultValue -1 */
  readonly limit?: number | undefined;
  /** At least 0. @defaultValue 0 */
  readonly offset?: number | undefined;
}

export type RolloutSort = (typeof rolloutSorts)[number];
export type AttemptSort = (typeof attemptSorts)[number];
export type SpanSort = (typeof spanSorts)[number];
export type WorkerSort = (typeof workerSorts)[number];
export type ResourcesSort = (typeof resourcesSorts)[number];

/** Conditions are pooled by `filterLogic`; a condition that is `undefined` is ignored; an empty list matches nothing. */
export interface RolloutQuery extends PageQuery<RolloutSort> {
  readonly statusIn?: readonly RolloutStatus[] | undefined;
  readonly rolloutIdIn?: readonly string[] | undefined;
  /** Case-sensitive substring, never a pattern. */
  readonly rolloutIdContains?: string | undefined;
  /** @defaultValue "and" */
  readonly filterLogic?: "and" | "or" | undefined;
}

/** Which spans of one rollout; the attempt always restricts, the other conditions are pooled by `filterLogic`. */
export interface SpanQuery extends PageQuery<SpanSort> {
  /** An attempt's id, `"latest"`, or unset for all attempts. */
  readonly attemptId?: string | undefined;
  readonly traceId?: string | undefined;
  readonly traceIdContains?: string | undefined;
  readonly spanId?: string | undefined;
  readonly spanIdContains?: string | undefined;
  readonly parentId?: string | undefined;
  readonly parentIdContains?: string | undefined;
  readonly name?: string | undefined;
  readonly nameContains?: string | undefined;
  readonly filterLogic?: "and" | "or" | undefined;
}

export interface WorkerQuery extends PageQuery<WorkerSort> {
  readonly statusIn?: readonly WorkerStatus[] | undefined;
  readonly workerIdContains?: string | undefined;
  readonly filterLogic?: "and" | "or" | undefined;
}

export interface ResourcesQuery extends PageQuery<ResourcesSort> {
  readonly resourcesId?: string | undefined;
  readonly resourcesIdContains?: string | undefined;
}
