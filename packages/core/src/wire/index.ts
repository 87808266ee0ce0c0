export { attempt, namedResources, resource, resourcesUpdate, rollout, rolloutConfig, worker } from "./records.ts";
export { attemptChanges, rolloutChanges, rolloutRequest } from "./requests.ts";
export type { ValueCodec, WireObject } from "./shape.ts";
export { span, spanInput } from "./span.ts";
