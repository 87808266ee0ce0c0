/** Fields that rollouts sort by. */
export const rolloutSorts = ["rolloutId", "startTimeMs", "endTimeMs", "status", "mode", "resourcesId"] as const;
/** Fields that attempts sort by. */
export const attemptSorts = [
  "sequenceId",
  "attemptId",
  "startTimeMs",
  "endTimeMs",
  "status",
  "workerId",
  "lastHeartbeatTimeMs",
] as const;
/** Fields that spans sort by. */
export const spanSorts = ["sequenceId", "spanId", "traceId", "parentId", "name", "startTimeMs", "endTimeMs"] as const;
/** Fields that workers sort by. */
export const workerSorts = [
  "workerId",
  "status",
  "lastHeartbeatTimeMs",
  "lastDequeueTimeMs",
  "lastBusyTimeMs",
  "lastIdleTimeMs",
] as const;
/** Fields that sets of resources sort by. */
export const resourcesSorts = ["resourcesId", "createTimeMs", "updateTimeMs", "version"] as const;
