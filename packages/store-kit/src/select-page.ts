import { createPage, type Page, type PageQuery } from "@agentlightning/core";

type Sortable = string | number | undefined;

/** Unset sorts before values; text by code unit, numbers by value. */
export function compareValues(a: Sortable, b: Sortable): number {
  if (a === b) return 0;
  if (a === undefined) return -1;
  if (b === undefined) return 1;
  return a < b ? -1 : 1;
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
