import { z } from "zod";
import type { JsonObject } from "../json.ts";
import { jsonObjectSchema } from "./json.ts";

/** What a worker's heartbeat carries. */
export const workerHeartbeatSchema: z.ZodType<{ readonly heartbeatStats?: JsonObject | undefined }> = z.object({
  heartbeatStats: jsonObjectSchema.optional(),
});
