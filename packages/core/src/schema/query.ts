import { z } from "zod";
import { rolloutStatuses } from "../rollout.ts";
import type { AttemptSort, PageQuery, ResourcesQuery, RolloutQuery, SpanQuery, WorkerQuery } from "../store-queries.ts";
import { workerStatuses } from "../worker.ts";
import { attemptSorts, resourcesSorts, rolloutSorts, spanSorts, workerSorts } from "../sorts.ts";

const paging = {
  sortOrder: z.enum(["asc", "desc"]).optional(),
  limit: z.int().min(-1).optional(),
  offset: z.int().min(0).optional(),
};
const filterLogic = z.enum(["and", "or"]).optional();
const text = z.string().optional();

/** Which rollouts. */
export const rolloutQuerySchema: z.ZodType<RolloutQuery> = z.object({
  ...paging,
  sortBy: z.enum(rolloutSorts).optional(),
  statusIn: z.array(z.enum(rolloutStatuses)).optional(),
  rolloutIdIn: z.array(z.string()).optional(),
  rolloutIdContains: text,
  filterLogic,
});

/** Which attempts of a rollout. */
export const attemptQuerySchema: z.ZodType<PageQuery<AttemptSort>> = z.object({
  ...paging,
  sortBy: z.enum(attemptSorts).optional(),
});

/** Which spans of a rollout. */
export const spanQuerySchema: z.ZodType<SpanQuery> = z.object({
  ...paging,
  sortBy: z.enum(spanSorts).optional(),
  attemptId: text,
  traceId: text,
  traceIdContains: text,
  spanId: text,
  spanIdContains: text,
  parentId: text,
  parentIdContains: text,
  name: text,
  nameContains: text,
  filterLogic,
});

/** Which workers. */
export const workerQuerySchema: z.ZodType<WorkerQuery> = z.object({
  ...paging,
  sortBy: z.enum(workerSorts).optional(),
  statusIn: z.array(z.enum(workerStatuses)).optional(),
  workerIdContains: text,
  filterLogic,
});

/** Which sets of resources. */
export const resourcesQuerySchema: z.ZodType<ResourcesQuery> = z.object({
  ...paging,
  sortBy: z.enum(resourcesSorts).optional(),
  resourcesId: text,
  resourcesIdContains: text,
});
