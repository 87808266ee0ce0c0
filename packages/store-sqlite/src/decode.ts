import type { Attempt, ResourcesUpdate, Rollout, Span, Worker } from "@agentlightning/core";
import type { RolloutRecord } from "@agentlightning/core/lifecycle";
import { type Row, textOf } from "./rows.ts";
import { decodeValue, encodeValue } from "./value-codec.ts";

/** Freezes a record and its direct fields. */
function freezeRecord<T extends object>(record: T): T {
  for (const field of Object.values(record)) if (typeof field === "object" && field !== null) Object.freeze(field);
  return Object.freeze(record);
}

/** A record without its input, which is stored by itself. */
export function encodeRecord(record: RolloutRecord): string {
  return encodeValue({ ...record, rollout: { ...record.rollout, input: null } });
}

interface StoredRecord extends Omit<RolloutRecord, "rollout"> {
  rollout: Omit<Rollout, "input"> & { input: Rollout["input"] };
  readonly attempts: readonly Attempt[];
}

/** A record of the columns `record` and `input`; without `input` it is what a write that leaves the input alone needs. */
export function decodeRecord(row: Row): RolloutRecord {
  const record = decodeValue(textOf(row, "record")) as StoredRecord;
  if (row["input"] !== undefined) record.rollout.input = decodeValue(textOf(row, "input")) as Rollout["input"];
  freezeRecord(record.rollout);
  record.attempts.forEach(freezeRecord);
  return freezeRecord(record);
}

/** A span of the column `span`. */
export function decodeSpan(row: Row): Span {
  return freezeRecord(decodeValue(textOf(row, "span")) as Span);
}

/** Resources of the column `resources`. */
export function decodeResources(row: Row): ResourcesUpdate {
  return freezeRecord(decodeValue(textOf(row, "resources")) as ResourcesUpdate);
}

/** A worker of the column `worker`. */
export function decodeWorker(row: Row): Worker {
  return freezeRecord(decodeValue(textOf(row, "worker")) as Worker);
}
