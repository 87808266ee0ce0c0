import type { JsonObject } from "./json.ts";

/** Every status of a worker. */
export const workerStatuses = ["unknown", "idle", "busy"] as const;
export type WorkerStatus = (typeof workerStatuses)[number];

/** One slot of a runner, as the store knows it. */
export interface Worker {
  readonly workerId: string;
  readonly status: WorkerStatus;
  readonly heartbeatStats?: JsonObject;
  readonly lastHeartbeatTimeMs?: number;
  readonly lastDequeueTimeMs?: number;
  readonly lastBusyTimeMs?: number;
  readonly lastIdleTimeMs?: number;
  readonly currentRolloutId?: string;
  readonly currentAttemptId?: string;
}
