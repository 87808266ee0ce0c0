/** A value at once (an embedded engine), or later. */
export type Awaitable<T> = T | Promise<T>;

/** Goes on with a value: in the same turn where it is there already, so that an embedded store costs no promise a step. */
export function chain<T, U>(value: Awaitable<T>, goOn: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}

/** One after another, in order. */
export function chainEach<T>(items: Iterable<T>, step: (item: T) => Awaitable<unknown>): Awaitable<void> {
  const iterator = items[Symbol.iterator]();
  for (let item = iterator.next(); item.done !== true; item = iterator.next()) {
    const pending = step(item.value);
    if (pending instanceof Promise) return chainRest(pending, iterator, step);
  }
  return undefined;
}

async function chainRest<T>(
  pending: Promise<unknown>,
  rest: Iterator<T>,
  step: (item: T) => Awaitable<unknown>,
): Promise<void> {
  await pending;
  for (let item = rest.next(); item.done !== true; item = rest.next()) await step(item.value);
}
