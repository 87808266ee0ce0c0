import type { StoreDriver } from "@agentlightning/store-kit";

/** The same driver, be it a plain object or of a class, with some operations replaced. */
export function override(driver: StoreDriver, replaced: Partial<StoreDriver>): StoreDriver {
  return new Proxy(driver, {
    get(target, key) {
      if (Object.hasOwn(replaced, key)) return Reflect.get(replaced, key) as unknown;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
