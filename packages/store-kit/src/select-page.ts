import { createPage, InvalidInputError, type Page, type PageQuery } from "@agentlightning/core";

/** How one kind of record is sorted: `tie` breaks ties, so that pages never overlap. */
export interface SortRules<T> {
  readonly fields: readonly string[];
  readonly tie: (a: T, b: T) => number;
}

type Sortable = string | number | undefined;

/** Unset sorts before values; text by code unit, numbers by value. */
export function compareValues(a: Sortable, b: Sortable): number {
  if (a === b) return 0;
  if (a === undefined) return -1;
  if (b === undefined) return 1;
  return a < b ? -1 : 1;
}

/** Refuses paging that makes no sense. @throws invalid_input */
export function checkPaging(query: PageQuery<string>, fields: readonly string[]): void {
  const { sortBy, sortOrder, limit = -1, offset = 0 } = query;
  if (!Number.isInteger(limit) || limit < -1)
    throw new InvalidInputError({ message: `limit must be -1 (all) or a whole number from 0, got ${limit}` });
  if (!Number.isInteger(offset) || offset < 0)
    throw new InvalidInputError({ message: `offset must be a whole number from 0, got ${offset}` });
  if (sortOrder !== undefined && sortOrder !== "asc" && sortOrder !== "desc") {
    throw new InvalidInputError({ message: `sortOrder must be "asc" or "desc", got ${String(sortOrder)}` });
  }
  if (sortBy !== undefined && !fields.includes(sortBy)) {
    throw new InvalidInputError({ message: `sortBy must be one of ${fields.join(", ")}, got ${String(sortBy)}` });
  }
}

/** Sorts and pages matches that a driver holds in memory, already in their natural order. */
export function selectPage<T>(
  matches: readonly T[],
  query: PageQuery<string>,
  read: (item: T, field: string) => Sortable,
  tie: (a: T, b: T) => number,
): Page<T> {
  const { sortBy, sortOrder = "asc", limit = -1, offset = 0 } = query;
  const sign = sortOrder === "asc" ? 1 : -1;
  const sorted =
    sortBy === undefined
      ? sortOrder === "asc"
        ? matches
        : matches.toReversed()
      : matches.toSorted((a, b) => sign * (compareValues(read(a, sortBy), read(b, sortBy)) || tie(a, b)));
  const items = limit === -1 ? sorted.slice(offset) : sorted.slice(offset, offset + limit);
  return createPage(items, matches.length, limit, offset);
}

/** Pools conditions by `and`/`or`; without any, everything matches. */
export function pool<T>(
  conditions: readonly ((item: T) => boolean)[],
  logic: "and" | "or" | undefined,
): (item: T) => boolean {
  if (conditions.length === 0) return () => true;
  return logic === "or"
    ? (item) => conditions.some((condition) => condition(item))
    : (item) => conditions.every((condition) => condition(item));
}
