/** One page of a query's result: iterable over its items. */
export interface Page<T> extends Iterable<T> {
  readonly items: readonly T[];
  /** Number of matches before paging. */
  readonly total: number;
  /** The limit asked for; -1 means all. */
  readonly limit: number;
  readonly offset: number;
}

/** Builds a {@link Page}. */
export function createPage<T>(items: readonly T[], total: number, limit: number, offset: number): Page<T> {
  return Object.freeze({
    items: Object.freeze(items),
    total,
    limit,
    offset,
    [Symbol.iterator]: () => items[Symbol.iterator](),
  });
}
