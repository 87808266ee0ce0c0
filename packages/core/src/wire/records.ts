import { type Attempt, attemptStatuses } from "../attempt.ts";
import type { NamedResources, Resource, ResourcesUpdate } from "../resources.ts";
import { type Rollout, type RolloutConfig, rolloutModes, rolloutStatuses } from "../rollout.ts";
import { type Worker, workerStatuses } from "../worker.ts";
import {
  json,
  listOf,
  may,
  must,
  number,
  object,
  oneOf,
  own,
  put,
  record,
  seconds,
  text,
  type ValueCodec,
} from "./shape.ts";

/** Limits and retry rule; `max_lost_attempts` is ours. */
export const rolloutConfig: ValueCodec<RolloutConfig> = record<RolloutConfig>({
  timeoutMs: may("timeout_seconds", seconds),
  unresponsiveMs: may("unresponsive_seconds", seconds),
  maxAttempts: may("max_attempts", number, 1),
  retryCondition: may("retry_condition", listOf(oneOf(attemptStatuses)), []),
  claimWithinMs: own("claim_within_seconds", seconds),
  maxLostAttempts: own("max_lost_attempts", number, 3),
});

/** An attempt; what the reference does not know is left out when unset. */
export const attempt: ValueCodec<Attempt> = record<Attempt>({
  rolloutId: must("rollout_id", text),
  attemptId: must("attempt_id", text),
  sequenceId: must("sequence_id", number),
  startTimeMs: must("start_time", seconds),
  endTimeMs: may("end_time", seconds),
  status: must("status", oneOf(attemptStatuses)),
  workerId: may("worker_id", text),
  lastHeartbeatTimeMs: may("last_heartbeat_time", seconds),
  metadata: may("metadata", object),
  leaseExpiresAtMs: own("lease_expires_at", seconds),
  endReason: own("end_reason", text),
  error: own("error", text),
  droppedSpans: own("dropped_spans", number),
  requestId: own("request_id", text),
});

/** A rollout, with its latest attempt where there is one. */
export const rollout: ValueCodec<Rollout> = record<Rollout>({
  rolloutId: must("rollout_id", text),
  input: may("input", json, null),
  startTimeMs: must("start_time", seconds),
  endTimeMs: may("end_time", seconds),
  mode: may("mode", oneOf(rolloutModes)),
  resourcesId: may("resources_id", text),
  status: must("status", oneOf(rolloutStatuses)),
  config: may("config", rolloutConfig, { maxAttempts: 1, retryCondition: [], maxLostAttempts: 3 }),
  metadata: may("metadata", object, {}),
  lostAttempts: own("lost_attempts", number, 0),
  idempotencyKey: own("idempotency_key", text),
  endReason: own("end_reason", oneOf(["unclaimed"] as const)),
  attempt: own("attempt", attempt),
});

/** A worker. */
export const worker: ValueCodec<Worker> = record<Worker>({
  workerId: must("worker_id", text),
  status: must("status", oneOf(workerStatuses)),
  heartbeatStats: may("heartbeat_stats", object),
  lastHeartbeatTimeMs: may("last_heartbeat_time", seconds),
  lastDequeueTimeMs: may("last_dequeue_time", seconds),
  lastBusyTimeMs: may("last_busy_time", seconds),
  lastIdleTimeMs: may("last_idle_time", seconds),
  currentRolloutId: may("current_rollout_id", text),
  currentAttemptId: may("current_attempt_id", text),
});

const llmShape = {
  endpoint: must("endpoint", text),
  model: must("model", text),
  apiKey: may("api_key", text),
  samplingParameters: may("sampling_parameters", object, {}),
};

const resourceTypes = ["llm", "proxy_llm", "prompt_template"] as const;
const kind = must("resource_type", oneOf(resourceTypes));
const llm = record<Resource>({ resourceType: kind, ...llmShape });
const template = record<Resource>({
  resourceType: kind,
  template: must("template", text),
  engine: must("engine", oneOf(["jinja", "f-string", "poml"] as const)),
});

/** A resource, told apart by `resource_type`. */
export const resource: ValueCodec<Resource> = {
  encode: (value) => (value.resourceType === "prompt_template" ? template : llm).encode(value),
  decode: (value, place) => {
    const given = object.decode(value, place)["resource_type"];
    return (given === "prompt_template" ? template : llm).decode(value, place);
  },
};

/** Resources by name; names are never renamed. */
export const namedResources: ValueCodec<NamedResources> = {
  encode: (resources) => {
    const wire = {};
    for (const [name, value] of Object.entries(resources)) put(wire, name, resource.encode(value));
    return wire;
  },
  decode: (value, place) => {
    const resources = {};
    for (const [name, item] of Object.entries(object.decode(value, place))) {
      put(resources, name, resource.decode(item, `${place}.${name}`));
    }
    return Object.freeze(resources);
  },
};

/** One version of a set of resources. */
export const resourcesUpdate: ValueCodec<ResourcesUpdate> = record<ResourcesUpdate>({
  resourcesId: must("resources_id", text),
  createTimeMs: must("create_time", seconds),
  updateTimeMs: must("update_time", seconds),
  version: must("version", number),
  resources: must("resources", namedResources),
  idempotencyKey: own("idempotency_key", text),
});
