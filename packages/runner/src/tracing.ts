import type { Logger } from "@agentlightning/core";
import { acquireTracing, type TracingLease } from "@agentlightning/otel/provider";
import type { WarnOnce } from "./resource-access.ts";

/** Acquires the process's tracing and says once what it lacks. */
export async function openTracing(logger: Logger, warnOnce: WarnOnce): Promise<TracingLease> {
  const lease = await acquireTracing({ logger });
  const { warning } = lease;
  if (warning !== undefined) warnOnce(warning.code, warning.message);
  return lease;
}
