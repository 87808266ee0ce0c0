/** A value at once (an embedded engine), or later. */
export type Awaitable<T> = T | Promise<T>;

/** Goes on with a value: in the same turn where it is there already, so that an embedded store costs no promise a step. */
export function chain<T, U>(value: Awaitable<T>, goOn: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}

/** One after another, in order. */
export function chainEach<T>(items: readonly T[], step: (item: T) => Awaitable<unknown>): Awaitable<void> {
  let done = 0;
  for (const item of items) {
    done += 1;
    const pending = step(item);
    if (pending instanceof Promise) return chainRest(pending, items.slice(done), step);
  }
  return undefined;
}

async function chainRest<T>(
  pending: Promise<unknown>,
  rest: readonly T[],
  step: (item: T) => Awaitable<unknown>,
): Promise<void> {
  await pending;
  for (const item of rest) await step(item);
}
