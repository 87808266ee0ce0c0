import {
  attributeNames,
  copyJsonObject,
  flattenAttributes,
  InvalidInputError,
  type JsonObject,
  type SpanAttributes,
  spanNames,
} from "@agentlightning/core";
import { emitSpan } from "./emit.ts";
import { describeException } from "./exception.ts";
import { objectAttributes } from "./object-attributes.ts";

/** Records facts about the attempt; nested values become dotted keys. @throws invalid_input for what is no JSON object, no_active_rollout */
export function emitAnnotation(annotation: JsonObject): void {
  emitSpan({
    name: spanNames.annotation,
    attributes: flattenAttributes(copyJsonObject(annotation, "annotation").value),
  });
}

/** Records a line of text. @throws invalid_input for what is no text, no_active_rollout */
export function emitMessage(message: string, options: { readonly attributes?: SpanAttributes } = {}): void {
  if (typeof message !== "string")
    throw new InvalidInputError({
      message: `a message must be a text, got ${typeof message}; use emitObject for values`,
    });
  emitSpan({ name: spanNames.message, attributes: { ...options.attributes, [attributeNames.messageBody]: message } });
}

/** Records a value: primitives and bytes literally, anything else as JSON (dates as ISO text, big integers as digits). @throws invalid_input for what JSON cannot hold, no_active_rollout */
export function emitObject(value: unknown, options: { readonly attributes?: SpanAttributes } = {}): void {
  emitSpan({ name: spanNames.object, attributes: { ...options.attributes, ...objectAttributes(value) } });
}

/** Records an error, whatever was thrown. @throws no_active_rollout */
export function emitException(thrown: unknown, options: { readonly attributes?: SpanAttributes } = {}): void {
  const { type, message, stacktrace } = describeException(thrown);
  emitSpan({
    name: spanNames.exception,
    error: message,
    attributes: {
      ...options.attributes,
      [attributeNames.exceptionType]: type,
      [attributeNames.exceptionMessage]: message,
      ...(stacktrace === undefined ? {} : { [attributeNames.exceptionStacktrace]: stacktrace }),
      [attributeNames.exceptionEscaped]: true,
    },
  });
}
