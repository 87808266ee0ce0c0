import { type Runtime, systemRuntime } from "@agentlightning/core";
import type { ReadableSpanLike } from "./readable-span.ts";

/** How long a resource's late attributes are waited for. */
const longestWaitMs = 1_000;

/** A promise for a resource whose attributes are still being found out, within a bound; `undefined` when there is nothing to wait for. */
export function resourceSettled(span: ReadableSpanLike, runtime: Runtime = systemRuntime): Promise<void> | undefined {
  const { resource } = span;
  if (resource?.asyncAttributesPending !== true || resource.waitForAsyncAttributes === undefined) return undefined;
  const settled = resource.waitForAsyncAttributes().catch(() => undefined);
  return new Promise((resolve) => {
    const timer = runtime.clock.setTimer(resolve, longestWaitMs, { keepAlive: false });
    void settled.then(() => {
      timer.cancel();
      resolve();
    });
  });
}
