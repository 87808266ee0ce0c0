export { acquireTracing, type TracingLease, type TracingMode } from "./acquire-tracing.ts";
export { createLightningProvider } from "./own-provider.ts";
