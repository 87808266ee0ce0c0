import { LightningError } from "@agentlightning/core";

/** Primary result codes of SQLite that are told apart. */
export const resultCodes = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  protocol: 15,
  notADatabase: 26,
} as const;

/** The primary result code of an error of SQLite's; `undefined` for any other error. */
export function resultCode(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
}

/** Whether somebody else holds the lock, so that the same again may work. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === resultCodes.busy || code === resultCodes.locked || code === resultCodes.protocol;
}

/** An error of SQLite's as one of ours; any other error is left as it is. */
export function translateError(error: unknown, path: string): unknown {
  const code = resultCode(error);
  if (code === undefined) return error;
  const reason = error instanceof Error ? error.message : String(error);
  if (code === resultCodes.full) {
    return new LightningError({
      code: "store_full",
      message: `no room left to write ${path}: ${reason}`,
      cause: error,
    });
  }
  return new LightningError({ code: "unavailable", message: `${path} failed: ${reason}`, cause: error });
}

/** The error of a call that could not get the lock in time. */
export function lockTimeout(path: string, busyTimeoutMs: number, cause: unknown): LightningError {
  return new LightningError({
    code: "unavailable",
    message: `${path} was locked by another process for ${busyTimeoutMs} ms (busyTimeoutMs); nothing was written`,
    cause,
  });
}
