import type { JsonObject, Worker } from "@agentlightning/core";
import type { WorkerEffect } from "@agentlightning/core/lifecycle";
import type { WorkerPatch, WorkerWrite } from "./driver.ts";

const none: readonly WorkerWrite[] = [];

/** What transitions mean for workers; a worker that has moved on to another attempt is left alone. */
export function workerWrites(
  effects: readonly WorkerEffect[],
  nowMs: number,
  isDequeue: boolean = false,
): readonly WorkerWrite[] {
  return effects.length === 0
    ? none
    : effects.map((effect) => ({ workerId: effect.workerId, patch: patchOf(effect, nowMs, isDequeue) }));
}

function patchOf(effect: WorkerEffect, nowMs: number, isDequeue: boolean): WorkerPatch {
  if (effect.kind !== "busy") {
    return {
      set: { status: effect.kind, lastIdleTimeMs: nowMs },
      clearCurrent: true,
      onlyIfAttemptId: effect.attemptId,
    };
  }
  const { rolloutId: currentRolloutId, attemptId: currentAttemptId } = effect;
  const busy = { status: "busy" as const, currentRolloutId, currentAttemptId, lastBusyTimeMs: nowMs };
  return { set: isDequeue ? { ...busy, lastDequeueTimeMs: nowMs } : busy };
}

/** Registers a worker or stamps its heartbeat; statistics replace the former ones. */
export function heartbeatPatch(stats: JsonObject | undefined, nowMs: number): WorkerPatch {
  return { set: { lastHeartbeatTimeMs: nowMs, ...(stats === undefined ? {} : { heartbeatStats: stats }) } };
}

/** A worker asked for work and there was none. One that holds an attempt stays busy. */
export function foundNothingPatch(known: Worker | undefined, nowMs: number): WorkerPatch {
  const becomesIdle = known === undefined || (known.status !== "idle" && known.currentAttemptId === undefined);
  return {
    set: becomesIdle
      ? { status: "idle", lastIdleTimeMs: nowMs, lastDequeueTimeMs: nowMs }
      : { lastDequeueTimeMs: nowMs },
  };
}
