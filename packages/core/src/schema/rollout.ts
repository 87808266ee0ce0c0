import { z } from "zod";
import { attemptStatuses } from "../attempt.ts";
import {
  type RolloutChanges,
  type RolloutConfig,
  type RolloutRequest,
  rolloutModes,
  rolloutStatuses,
} from "../rollout.ts";
import type { WorkOptions } from "../store-outcomes.ts";
import { idSchema, jsonObjectSchema, jsonValueSchema, millisecondsSchema } from "./json.ts";

/** A configuration as callers give it; what is left out has a default. */
export const rolloutConfigSchema: z.ZodType<Partial<RolloutConfig>> = z.object({
  timeoutMs: millisecondsSchema.exactOptional(),
  unresponsiveMs: millisecondsSchema.exactOptional(),
  claimWithinMs: millisecondsSchema.exactOptional(),
  maxAttempts: z.int().min(1).exactOptional(),
  retryCondition: z.array(z.enum(attemptStatuses)).exactOptional(),
  maxLostAttempts: z.int().min(0).exactOptional(),
});

const request = z.object({
  input: jsonValueSchema,
  mode: z.enum(rolloutModes).optional(),
  resourcesId: idSchema.optional(),
  config: rolloutConfigSchema.optional(),
  metadata: jsonObjectSchema.optional(),
  idempotencyKey: idSchema.optional(),
});

/** What is asked for when a rollout is enqueued. */
export const rolloutRequestSchema: z.ZodType<RolloutRequest> = request;

/** What is asked for when a rollout is started at once. */
export const startRequestSchema: z.ZodType<RolloutRequest & WorkOptions> = request.extend({
  workerId: idSchema.optional(),
});

/** Fields of a rollout to change; `null` clears. */
export const rolloutChangesSchema: z.ZodType<RolloutChanges> = z.object({
  input: jsonValueSchema.optional(),
  mode: z.enum(rolloutModes).nullish(),
  resourcesId: idSchema.nullish(),
  status: z.enum(rolloutStatuses).optional(),
  config: rolloutConfigSchema.optional(),
  metadata: jsonObjectSchema.nullable().optional(),
});
