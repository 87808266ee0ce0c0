import { LightningError } from "@agentlightning/core";
import { describeThrown } from "./describe-thrown.ts";

function isOurs(error: unknown): error is LightningError {
  try {
    return LightningError.isInstance(error);
  } catch {
    return false; // A proxy that throws when it is looked at.
  }
}

/** What an attempt's `error` says: the code and message of our errors, the name and message of any other. */
export function errorText(error: unknown): string {
  const { message, text } = describeThrown(error);
  return isOurs(error) ? `${error.code}: ${message}` : text;
}

/** An Error that is safe to hand on, whatever was thrown. */
export function safeError(error: unknown): Error {
  const { name, message, stack } = describeThrown(error);
  const safe = new Error(message);
  safe.name = name;
  safe.stack = stack ?? `${name}: ${message}`;
  return safe;
}
