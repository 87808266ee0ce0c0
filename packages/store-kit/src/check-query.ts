import {
  attemptSorts,
  InvalidInputError,
  type PageQuery,
  type ResourcesQuery,
  type RolloutQuery,
  resourcesSorts,
  rolloutSorts,
  rolloutStatuses,
  type SpanQuery,
  spanSorts,
  type WorkerQuery,
  workerSorts,
  workerStatuses,
} from "@agentlightning/core";
import { checkOneOf, checkOptionalText, shown } from "./validate.ts";

function checkPaging(query: PageQuery<string>, fields: readonly string[]): void {
  if (typeof query !== "object" || query === null)
    throw new InvalidInputError({ message: "a query must be an object" });
  const { sortBy, sortOrder, limit = -1, offset = 0 } = query;
  if (!Number.isInteger(limit) || limit < -1)
    throw new InvalidInputError({ message: `limit must be -1 (all) or a whole number from 0, got ${shown(limit)}` });
  if (!Number.isInteger(offset) || offset < 0)
    throw new InvalidInputError({ message: `offset must be a whole number from 0, got ${shown(offset)}` });
  if (sortOrder !== undefined) checkOneOf(sortOrder, ["asc", "desc"] as const, "sortOrder");
  if (sortBy !== undefined) checkOneOf(sortBy, fields, "sortBy");
}

function checkLogic(logic: unknown): void {
  if (logic !== undefined) checkOneOf(logic, ["and", "or"] as const, "filterLogic");
}

function checkList(value: unknown, field: string): void {
  if (value === undefined || (Array.isArray(value) && value.every((item) => typeof item === "string"))) return;
  throw new InvalidInputError({ message: `${field} must be a list of texts`, details: { field } });
}

function checkStatuses(value: unknown, known: readonly string[]): void {
  checkList(value, "statusIn");
  if (Array.isArray(value)) for (const status of value) checkOneOf(status, known, "statusIn");
}

/** @throws invalid_input */
export function checkRolloutQuery(query: RolloutQuery): void {
  checkPaging(query, rolloutSorts);
  checkLogic(query.filterLogic);
  checkStatuses(query.statusIn, rolloutStatuses);
  checkList(query.rolloutIdIn, "rolloutIdIn");
  checkOptionalText(query.rolloutIdContains, "rolloutIdContains");
}

/** @throws invalid_input */
export function checkAttemptQuery(query: PageQuery<string>): void {
  checkPaging(query, attemptSorts);
}

const spanTexts = [
  "attemptId",
  "traceId",
  "traceIdContains",
  "spanId",
  "spanIdContains",
  "parentId",
  "parentIdContains",
  "name",
  "nameContains",
] as const satisfies readonly (keyof SpanQuery)[];

/** @throws invalid_input */
export function checkSpanQuery(query: SpanQuery): void {
  checkPaging(query, spanSorts);
  checkLogic(query.filterLogic);
  for (const field of spanTexts) checkOptionalText(query[field], field);
}

/** @throws invalid_input */
export function checkWorkerQuery(query: WorkerQuery): void {
  checkPaging(query, workerSorts);
  checkLogic(query.filterLogic);
  checkStatuses(query.statusIn, workerStatuses);
  checkOptionalText(query.workerIdContains, "workerIdContains");
}

/** @throws invalid_input */
export function checkResourcesQuery(query: ResourcesQuery): void {
  checkPaging(query, resourcesSorts);
  checkOptionalText(query.resourcesId, "resourcesId");
  checkOptionalText(query.resourcesIdContains, "resourcesIdContains");
}
