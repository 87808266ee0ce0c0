import type { StoreDriver } from "@agentlightning/store-kit";
import { override } from "./override.ts";

/** An operation of a driver that can be held. */
type Operation = "changeRollout" | "claimRollouts" | "appendSpans" | "insertRollouts" | "dueRollouts" | "putResources";

/** Calls of one operation wait at a gate, and are let through by the case. */
export interface Gate {
  /** Put this over a driver. */
  readonly over: (driver: StoreDriver) => StoreDriver;
  /** Holds calls from now on. */
  hold(): void;
  /** Resolves when a call waits at the gate. */
  readonly reached: () => Promise<void>;
  /** Lets everything through from now on. */
  open(): void;
}

/** @param when - "before": a held call has not touched the engine. "after": it is done, and its answer is held. */
export function createGate(operation: Operation, when: "before" | "after"): Gate {
  let held: PromiseWithResolvers<void> | undefined;
  let arrival = Promise.withResolvers<void>();
  const pass = async (): Promise<void> => {
    arrival.resolve();
    await held?.promise;
  };
  const gated =
    (work: (...given: unknown[]) => unknown) =>
    async (...given: unknown[]): Promise<unknown> => {
      if (held === undefined) return work(...given);
      if (when === "before") await pass();
      const result = await work(...given);
      if (when === "after") await pass();
      return result;
    };
  return {
    over: (driver) =>
      override(driver, {
        [operation]: gated((...given: unknown[]): unknown => Reflect.apply(driver[operation], driver, given)),
      }),
    hold() {
      held = Promise.withResolvers();
      arrival = Promise.withResolvers();
    },
    reached: () => arrival.promise,
    open() {
      held?.resolve();
      held = undefined;
    },
  };
}
