import type { LightningStore } from "@agentlightning/core";

/** Marks a promise as looked after: a case that fails before it awaits one must not bring the process down. */
export function lookedAfter<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** The same store, whose promises count as looked after. */
export function quiet(store: LightningStore): LightningStore {
  return new Proxy(store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      return (...given: unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, target, given);
        return result instanceof Promise ? lookedAfter(result) : result;
      };
    },
  });
}
