import { z } from "zod";
import { type AttemptChanges, type AttemptReport, attemptEndReasons, attemptStatuses } from "../attempt.ts";
import { idSchema, jsonObjectSchema, millisecondsSchema } from "./json.ts";

/** Fields of an attempt to change. */
export const attemptChangesSchema: z.ZodType<AttemptChanges> = z.object({
  status: z.enum(attemptStatuses).optional(),
  workerId: idSchema.optional(),
  lastHeartbeatTimeMs: millisecondsSchema.optional(),
  metadata: jsonObjectSchema.optional(),
});

/** How a runner says that its attempt ended. */
export const attemptReportSchema: z.ZodType<AttemptReport> = z.object({
  status: z.enum(["succeeded", "failed", "timeout", "unresponsive"]),
  endReason: z.enum(attemptEndReasons).optional(),
  error: z.string().optional(),
  droppedSpans: z.int().min(0).optional(),
});
