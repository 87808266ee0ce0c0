import {
  attemptStatuses,
  copyJson,
  copyJsonObject,
  InvalidInputError,
  type JsonCopyOptions,
  type RolloutConfig,
  type RolloutRequest,
  rolloutModes,
} from "@agentlightning/core";

/** What a rollout's configuration is when nothing is asked for. */
export const defaultRolloutConfig: RolloutConfig = Object.freeze({
  maxAttempts: 1,
  retryCondition: Object.freeze([]),
  maxLostAttempts: 3,
});

/** Longest text that an error message repeats. */
const longestShown = 100;

/** A value that was refused, as a message shows it; whatever it is, showing it does not fail. */
export function shown(value: unknown): string {
  if (typeof value === "string") return value.length > longestShown ? `${value.slice(0, longestShown)}…` : value;
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  return String(value);
}

/** An object that is no list. @throws invalid_input */
export function checkObject<T extends object>(value: T, what: string): T {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new InvalidInputError({ message: `${what} must be an object, got ${shown(value)}` });
}

/** A signal that may be left out; one of another realm is as good. @throws invalid_input */
export function checkSignal(value: AbortSignal | undefined): AbortSignal | undefined {
  if (value === undefined) return undefined;
  const isSignal =
    typeof value === "object" &&
    value !== null &&
    typeof value.aborted === "boolean" &&
    typeof value.addEventListener === "function" &&
    typeof value.removeEventListener === "function";
  if (isSignal) return value;
  throw new InvalidInputError({ message: `signal must be an AbortSignal, got ${shown(value)}` });
}

/** Longest id, in UTF-16 units. */
const longestId = 512;

/** An id as a caller may give it. @throws invalid_input */
export function checkId(value: unknown, field: string): string {
  if (typeof value === "string" && value !== "" && value.length <= longestId) return value;
  const given = typeof value === "string" ? `${value.length} characters` : shown(value);
  throw new InvalidInputError({
    message: `${field} must be a text of 1 to ${longestId} characters, got ${given}`,
    details: { field },
  });
}

/** An id that may be left out. @throws invalid_input */
export function checkOptionalId(value: unknown, field: string): string | undefined {
  return value === undefined ? undefined : checkId(value, field);
}

/** Any text, the empty one too. @throws invalid_input */
export function checkText(value: unknown, field: string): string {
  if (typeof value === "string") return value;
  throw new InvalidInputError({ message: `${field} must be a text, got ${typeof value}`, details: { field } });
}

/** A text that may be left out. @throws invalid_input */
export function checkOptionalText(value: unknown, field: string): string | undefined {
  return value === undefined ? undefined : checkText(value, field);
}

/** A value of a closed list. @throws invalid_input */
export function checkOneOf<T extends string>(value: unknown, list: readonly T[], field: string): T {
  const found = list.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw new InvalidInputError({
    message: `${field} must be one of ${list.join(", ")}, got ${shown(value)}`,
    details: { field },
  });
}

/** A duration or count from `least` up. @throws invalid_input */
export function checkNumber(value: unknown, field: string, least: number, whole: boolean): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= least && (!whole || Number.isInteger(value)))
    return value;
  const kind = whole ? "a whole number" : "a number";
  throw new InvalidInputError({
    message: `${field} must be ${kind} from ${least}, got ${shown(value)}`,
    details: { field },
  });
}

/** A configuration with the defaults filled in. @throws invalid_input */
export function resolveRolloutConfig(
  config: Partial<RolloutConfig> | undefined,
  base: RolloutConfig = defaultRolloutConfig,
): RolloutConfig {
  if (config === undefined) return base;
  if (typeof config !== "object" || config === null)
    throw new InvalidInputError({ message: "config must be an object", details: { field: "config" } });
  const merged = { ...base, ...Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined)) };
  const { timeoutMs, unresponsiveMs, claimWithinMs } = merged;
  if (!Array.isArray(merged.retryCondition))
    throw new InvalidInputError({ message: "retryCondition must be a list of attempt statuses" });
  return Object.freeze({
    ...(timeoutMs === undefined ? {} : { timeoutMs: checkNumber(timeoutMs, "timeoutMs", 0, false) }),
    ...(unresponsiveMs === undefined
      ? {}
      : { unresponsiveMs: checkNumber(unresponsiveMs, "unresponsiveMs", 0, false) }),
    ...(claimWithinMs === undefined ? {} : { claimWithinMs: checkNumber(claimWithinMs, "claimWithinMs", 0, false) }),
    maxAttempts: checkNumber(merged.maxAttempts, "maxAttempts", 1, true),
    retryCondition: Object.freeze(
      Array.from(merged.retryCondition, (status) => checkOneOf(status, attemptStatuses, "retryCondition")),
    ),
    maxLostAttempts: checkNumber(merged.maxLostAttempts, "maxLostAttempts", 0, true),
  });
}

/** What stands in a new rollout, copied and checked. @throws invalid_input, too_large */
export function checkRequest(
  request: RolloutRequest,
  options: JsonCopyOptions,
): Pick<RolloutRequest, "input" | "mode" | "resourcesId"> & {
  readonly config: RolloutConfig;
  readonly metadata: Readonly<Record<string, never>> | NonNullable<RolloutRequest["metadata"]>;
} {
  if (typeof request !== "object" || request === null)
    throw new InvalidInputError({ message: "a rollout request must be an object with an input" });
  if (request.input === undefined) throw new InvalidInputError({ message: "input must be given; use null for none" });
  return {
    input: copyJson(request.input, "input", options).value,
    ...(request.mode === undefined ? {} : { mode: checkOneOf(request.mode, rolloutModes, "mode") }),
    ...(request.resourcesId === undefined ? {} : { resourcesId: checkId(request.resourcesId, "resourcesId") }),
    config: resolveRolloutConfig(request.config),
    metadata:
      request.metadata === undefined
        ? Object.freeze({})
        : copyJsonObject(request.metadata, "metadata", { ...options, maxBytes: 65_536 }).value,
  };
}
