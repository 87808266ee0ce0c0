import type { AttemptChanges } from "../attempt.ts";
import type { JsonValue } from "../json.ts";
import type { RolloutChanges, RolloutConfig, RolloutRequest } from "../rollout.ts";
import { attemptStatuses } from "../attempt.ts";
import { rolloutModes, rolloutStatuses } from "../rollout.ts";
import {
  json,
  listOf,
  may,
  number,
  object,
  oneOf,
  own,
  record,
  seconds,
  type Shape,
  text,
  type ValueCodec,
} from "./shape.ts";

const partialConfig = record<Partial<RolloutConfig>>({
  timeoutMs: own("timeout_seconds", seconds),
  unresponsiveMs: own("unresponsive_seconds", seconds),
  maxAttempts: own("max_attempts", number),
  retryCondition: own("retry_condition", listOf(oneOf(attemptStatuses))),
  maxLostAttempts: own("max_lost_attempts", number),
});

/** A request for a rollout; nulls are sent explicitly, as the reference's client does. */
export const rolloutRequest: ValueCodec<RolloutRequest> = record<RolloutRequest>({
  input: may("input", json, null),
  mode: may("mode", oneOf(rolloutModes)),
  resourcesId: may("resources_id", text),
  config: may("config", partialConfig),
  metadata: may("metadata", object),
  idempotencyKey: own("idempotency_key", text),
});

/** Writes only the fields that are given: null clears, absent leaves alone. */
function changes<T extends object>(shape: Shape): ValueCodec<T> {
  const fields = Object.entries(shape);
  return {
    encode: (value) => {
      const wire: Record<string, JsonValue> = {};
      for (const [name, field] of fields) {
        const item: unknown = Reflect.get(value, name);
        if (item === null) wire[field.wire] = null;
        else if (item !== undefined) wire[field.wire] = (field.codec as ValueCodec<unknown>).encode(item);
      }
      return wire;
    },
    decode: (value, place) => {
      const wire = object.decode(value, place);
      const found: Record<string, unknown> = {};
      for (const [name, field] of fields) {
        if (!Object.hasOwn(wire, field.wire)) continue;
        const item = wire[field.wire] ?? null;
        found[name] =
          item === null ? null : (field.codec as ValueCodec<unknown>).decode(item, `${place}.${field.wire}`);
      }
      return Object.freeze(found) as T;
    },
  };
}

/** Changes of a rollout. */
export const rolloutChanges: ValueCodec<RolloutChanges> = changes<RolloutChanges>({
  input: may("input", json),
  mode: may("mode", oneOf(rolloutModes)),
  resourcesId: may("resources_id", text),
  status: may("status", oneOf(rolloutStatuses)),
  config: may("config", partialConfig),
  metadata: may("metadata", object),
});

/** Changes of an attempt. */
export const attemptChanges: ValueCodec<AttemptChanges> = changes<AttemptChanges>({
  status: may("status", oneOf(attemptStatuses)),
  workerId: may("worker_id", text),
  lastHeartbeatTimeMs: may("last_heartbeat_time", seconds),
  metadata: may("metadata", object),
});
