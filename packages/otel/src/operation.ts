import {
  attributeNames,
  flattenAttributes,
  type JsonValue,
  type SpanAttributes,
  spanNames,
  systemRuntime,
} from "@agentlightning/core";
import { toAttributeValue } from "./attribute-value.ts";
import { emitSpan } from "./emit.ts";
import { describeException } from "./exception.ts";

/** What an operation records beside its name. */
export interface OperationOptions {
  /** Inputs by parameter name. */
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  readonly attributes?: SpanAttributes | undefined;
}

function plain(value: unknown): JsonValue {
  try {
    return JSON.parse(JSON.stringify(value) ?? "null") as JsonValue;
  } catch {
    return toAttributeValue(value) ?? null;
  }
}

/**
 * Runs `fn` and records it as an operation of the current attempt: name, inputs, result or error, times.
 *
 * @throws what `fn` throws; no_active_rollout
 * @example
 * ```ts
 * const rooms = await operation("find rooms", () => findRooms(date), { input: { date } });
 * ```
 */
export async function operation<T>(name: string, fn: () => T | Promise<T>, options: OperationOptions = {}): Promise<T> {
  const startTimeMs = systemRuntime.clock.nowMs();
  const inputs = flattenAttributes({ input: plain(options.input ?? {}) });
  const base: SpanAttributes = {
    ...options.attributes,
    [attributeNames.operationName]: name,
    ...(options.input === undefined ? {} : withPrefix(inputs, "input", attributeNames.operationInput)),
  };
  let result: T;
  try {
    result = await fn();
  } catch (error) {
    const { type, message, stacktrace } = describeException(error);
    const attributes = {
      ...base,
      [attributeNames.exceptionType]: type,
      [attributeNames.exceptionMessage]: message,
      ...(stacktrace === undefined ? {} : { [attributeNames.exceptionStacktrace]: stacktrace }),
    };
    emitSpan({ name: spanNames.operation, startTimeMs, error: message, attributes });
    throw error;
  }
  const outputs =
    result === undefined
      ? {}
      : withPrefix(flattenAttributes({ output: plain(result) }), "output", attributeNames.operationOutput);
  emitSpan({ name: spanNames.operation, startTimeMs, attributes: { ...base, ...outputs } });
  return result;
}

function withPrefix(flat: SpanAttributes, from: string, to: string): SpanAttributes {
  return Object.fromEntries(Object.entries(flat).map(([key, value]) => [`${to}${key.slice(from.length)}`, value]));
}
