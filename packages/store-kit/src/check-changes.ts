import {
  type AttemptChanges,
  type AttemptReport,
  attemptEndReasons,
  attemptStatuses,
  copyJson,
  copyJsonObject,
  type JsonCopyOptions,
  type JsonObject,
  type Rollout,
  type RolloutChanges,
  rolloutModes,
  rolloutStatuses,
} from "@agentlightning/core";
import {
  checkId,
  checkNumber,
  checkObject,
  checkOneOf,
  checkOptionalText,
  defaultRolloutConfig,
  resolveRolloutConfig,
} from "./validate.ts";

/** Largest metadata or statistics, in estimated bytes. */
const metadataBytes = 65_536;

/** Metadata or worker statistics, copied. @throws invalid_input, too_large */
export function checkMetadata(value: unknown, field: string, options: JsonCopyOptions): JsonObject {
  return copyJsonObject(value, field, { ...options, maxBytes: metadataBytes }).value;
}

/** A rollout's changes with their final values; `undefined` clears. @throws invalid_input, too_large */
export function checkRolloutChanges(
  changes: RolloutChanges,
  options: JsonCopyOptions,
): { readonly [K in keyof Rollout]?: Rollout[K] | undefined } {
  checkObject(changes, "rollout changes");
  const { input, mode, resourcesId, status, config, metadata } = changes;
  return {
    ...(input === undefined ? {} : { input: copyJson(input, "input", options).value }),
    ...(mode === undefined ? {} : { mode: mode === null ? undefined : checkOneOf(mode, rolloutModes, "mode") }),
    ...(resourcesId === undefined
      ? {}
      : { resourcesId: resourcesId === null ? undefined : checkId(resourcesId, "resourcesId") }),
    ...(status === undefined ? {} : { status: checkOneOf(status, rolloutStatuses, "status") }),
    ...(config === undefined ? {} : { config: resolveRolloutConfig(config, defaultRolloutConfig) }),
    ...(metadata === undefined
      ? {}
      : { metadata: metadata === null ? Object.freeze({}) : checkMetadata(metadata, "metadata", options) }),
  };
}

/** @throws invalid_input, too_large */
export function checkAttemptChanges(changes: AttemptChanges, options: JsonCopyOptions): AttemptChanges {
  checkObject(changes, "attempt changes");
  const { status, workerId, lastHeartbeatTimeMs, metadata } = changes;
  return {
    ...(status === undefined ? {} : { status: checkOneOf(status, attemptStatuses, "status") }),
    ...(workerId === undefined ? {} : { workerId: checkId(workerId, "workerId") }),
    ...(lastHeartbeatTimeMs === undefined
      ? {}
      : { lastHeartbeatTimeMs: checkNumber(lastHeartbeatTimeMs, "lastHeartbeatTimeMs", 0, false) }),
    ...(metadata === undefined ? {} : { metadata: checkMetadata(metadata, "metadata", options) }),
  };
}

/** @throws invalid_input */
export function checkReport(report: AttemptReport): AttemptReport {
  checkObject(report, "an attempt's report");
  const { status, endReason, error, droppedSpans } = report;
  return {
    status: checkOneOf(status, ["succeeded", "failed", "timeout", "unresponsive"] as const, "status"),
    endReason: endReason === undefined ? undefined : checkOneOf(endReason, attemptEndReasons, "endReason"),
    error: checkOptionalText(error, "error"),
    droppedSpans: droppedSpans === undefined ? undefined : checkNumber(droppedSpans, "droppedSpans", 0, true),
  };
}
