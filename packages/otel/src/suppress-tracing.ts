import { context, createContextKey } from "@opentelemetry/api";
import { runInScope } from "./rollout-context.ts";

/** The SDK's own key: its tracers start no span while it is set. The API makes equal keys of equal names. */
const suppressKey = createContextKey("OpenTelemetry SDK Context Key SUPPRESS_TRACING");

/** Runs our own traffic so that it leaves no spans of its own, in no rollout. */
export function withoutTracing<T>(fn: () => T): T {
  return runInScope(undefined, () => context.with(context.active().setValue(suppressKey, true), fn));
}
