import { z } from "zod";
import { type SpanContextRecord, type SpanInput, spanStatusCodes } from "../span.ts";
import { idSchema, jsonObjectSchema, recordSchema } from "./json.ts";

const context: z.ZodType<SpanContextRecord> = z.object({
  traceId: z.string(),
  spanId: z.string(),
  isRemote: z.boolean(),
  traceState: recordSchema(z.string()),
});

/** A span on its way into a store. */
export const spanInputSchema: z.ZodType<SpanInput> = z.object({
  rolloutId: idSchema,
  attemptId: idSchema,
  sequenceId: z.int().optional(),
  traceId: z.string(),
  spanId: idSchema,
  parentId: z.string().exactOptional(),
  name: z.string(),
  status: z.object({ statusCode: z.enum(spanStatusCodes), description: z.string().exactOptional() }),
  attributes: jsonObjectSchema,
  events: z.array(
    z.object({ name: z.string(), attributes: jsonObjectSchema, timestampMs: z.number().exactOptional() }),
  ),
  links: z.array(z.object({ context, attributes: jsonObjectSchema.exactOptional() })),
  startTimeMs: z.number().exactOptional(),
  endTimeMs: z.number().exactOptional(),
  startTimeUnixNano: z.string().exactOptional(),
  endTimeUnixNano: z.string().exactOptional(),
  context: context.exactOptional(),
  parent: context.exactOptional(),
  resource: z.object({ attributes: jsonObjectSchema, schemaUrl: z.string() }),
  extra: jsonObjectSchema.exactOptional(),
});
