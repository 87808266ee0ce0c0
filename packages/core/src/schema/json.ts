import { z } from "zod";
import { LightningError } from "../errors.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { copyJson, copyJsonObject } from "../json-copy.ts";

/** Any JSON value. The store's own pass does the work, so that both doors refuse the same; NaN and `__proto__` keys survive. */
export const jsonValueSchema: z.ZodType<JsonValue> = z
  .unknown()
  .transform((value, context) => copied(() => copyJson(value, "value").value, context));

/** Any JSON object. */
export const jsonObjectSchema: z.ZodType<JsonObject> = z
  .unknown()
  .transform((value, context) => copied(() => copyJsonObject(value, "value").value, context));

function copied<T>(copy: () => T, context: z.RefinementCtx): T {
  try {
    return copy();
  } catch (cause) {
    if (!LightningError.isInstance(cause)) throw cause;
    context.addIssue({ code: "custom", message: cause.message });
    return z.NEVER;
  }
}

/** A JSON object of members of one kind, under any keys: `z.record` drops the key `__proto__` without a word. */
export function recordSchema<T>(member: z.ZodType<T>): z.ZodType<Readonly<Record<string, T>>> {
  return jsonObjectSchema.transform((object, context) => {
    const entries = Object.entries(object).flatMap(([key, held]) => {
      const parsed = member.safeParse(held);
      if (parsed.success) return [[key, parsed.data] as const];
      for (const { message, path } of parsed.error.issues) {
        context.addIssue({ code: "custom", message, path: [key, ...path] });
      }
      return [];
    });
    return Object.fromEntries(entries);
  });
}

/** An id as callers may give it. */
export const idSchema: z.ZodType<string> = z.string().min(1).max(512);

/** An instant or a duration that may not be negative; milliseconds. */
export const millisecondsSchema: z.ZodType<number> = z.number().min(0);
