export { attemptChangesSchema, attemptReportSchema } from "./attempt.ts";
export { idSchema, jsonObjectSchema, jsonValueSchema, millisecondsSchema } from "./json.ts";
export {
  attemptQuerySchema,
  resourcesQuerySchema,
  rolloutQuerySchema,
  spanQuerySchema,
  workerQuerySchema,
} from "./query.ts";
export { namedResourcesSchema, resourceSchema } from "./resources.ts";
export { rolloutChangesSchema, rolloutConfigSchema, rolloutRequestSchema, startRequestSchema } from "./rollout.ts";
export { spanInputSchema } from "./span.ts";
export { workerHeartbeatSchema } from "./worker.ts";
