import {
  attributeNames,
  flattenAttributes,
  type JsonValue,
  type SpanAttributes,
  spanNames,
} from "@agentlightning/core";
import { toAttributeValue } from "./attribute-value.ts";
import { openSpan } from "./emit.ts";
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
 * Runs `fn` and records it as an operation of the current attempt: name, inputs, result or error, times; what is
 * recorded inside stands under it.
 *
 * @throws what `fn` throws; no_active_rollout
 * @example
 * ```ts
 * const rooms = await operation("find rooms", () => findRooms(date), { input: { date } });
 * ```
 */
export async function operation<T>(name: string, fn: () => T | Promise<T>, options: OperationOptions = {}): Promise<T> {
  const inputs = flattenAttributes({ input: plain(options.input ?? {}) });
  const base: SpanAttributes = {
    ...options.attributes,
    [attributeNames.operationName]: name,
    ...(options.input === undefined ? {} : withPrefix(inputs, "input", attributeNames.operationInput)),
  };
  const span = openSpan({ name: spanNames.operation, attributes: base });
  let result: T;
  try {
    result = await span.run(fn);
  } catch (error) {
    const { type, message, stacktrace } = describeException(error);
    const attributes = {
      [attributeNames.exceptionType]: type,
      [attributeNames.exceptionMessage]: message,
      ...(stacktrace === undefined ? {} : { [attributeNames.exceptionStacktrace]: stacktrace }),
    };
    span.end({ error: message, attributes });
    throw error;
  }
  const outputs =
    result === undefined
      ? {}
      : withPrefix(flattenAttributes({ output: plain(result) }), "output", attributeNames.operationOutput);
  span.end({ attributes: outputs });
  return result;
}

function withPrefix(flat: SpanAttributes, from: string, to: string): SpanAttributes {
  return Object.fromEntries(Object.entries(flat).map(([key, value]) => [`${to}${key.slice(from.length)}`, value]));
}
