import type { JsonValue } from "../json.ts";
import {
  type Span,
  type SpanContextRecord,
  type SpanEvent,
  type SpanInput,
  type SpanLink,
  type SpanResource,
  type SpanStatus,
  spanStatusCodes,
} from "../span.ts";
import {
  flag,
  listOf,
  may,
  must,
  number,
  object,
  oneOf,
  own,
  put,
  record,
  seconds,
  type Shape,
  text,
  type ValueCodec,
} from "./shape.ts";

const status = record<SpanStatus>({
  statusCode: must("status_code", oneOf(spanStatusCodes)),
  description: may("description", text),
});

const context = record<SpanContextRecord>({
  traceId: must("trace_id", text),
  spanId: must("span_id", text),
  isRemote: may("is_remote", flag, false),
  traceState: may("trace_state", object, {}),
});

const event = record<SpanEvent>({
  name: must("name", text),
  attributes: may("attributes", object, {}),
  timestampMs: may("timestamp", seconds),
});

const link = record<SpanLink>({ context: must("context", context), attributes: may("attributes", object) });

const spanResource = record<SpanResource>({
  attributes: may("attributes", object, {}),
  schemaUrl: may("schema_url", text, ""),
});

const shape: Shape = {
  rolloutId: must("rollout_id", text),
  attemptId: must("attempt_id", text),
  sequenceId: may("sequence_id", number),
  traceId: must("trace_id", text),
  spanId: must("span_id", text),
  parentId: may("parent_id", text),
  name: must("name", text),
  status: must("status", status),
  attributes: may("attributes", object, {}),
  events: may("events", listOf(event), []),
  links: may("links", listOf(link), []),
  startTimeMs: may("start_time", seconds),
  endTimeMs: may("end_time", seconds),
  startTimeUnixNano: own("start_time_unix_nano", text),
  endTimeUnixNano: own("end_time_unix_nano", text),
  context: may("context", context),
  parent: may("parent", context),
  resource: may("resource", spanResource, { attributes: {}, schemaUrl: "" }),
};

const fields = record<Omit<SpanInput, "extra">>(shape);
const known = new Set(Object.values(shape).map((field) => field.wire));

/** A span on its way into a store; fields that are none of ours travel beside ours, as `extra`. */
export const spanInput: ValueCodec<SpanInput> = {
  encode: (value) => {
    const { extra, ...span } = value;
    const wire = { ...(fields.encode(span) as Readonly<Record<string, JsonValue>>) };
    for (const [key, item] of Object.entries(extra ?? {})) if (!known.has(key)) put(wire, key, item);
    return wire;
  },
  decode: (value, place) => {
    const span = fields.decode(value, place);
    const extra = {};
    for (const [key, item] of Object.entries(object.decode(value, place))) if (!known.has(key)) put(extra, key, item);
    return Object.keys(extra).length === 0 ? span : Object.freeze({ ...span, extra: Object.freeze(extra) });
  },
};

/** A stored span: it has its number. */
export const span: ValueCodec<Span> = {
  encode: (value) => spanInput.encode(value),
  decode: (value, place) => {
    const { sequenceId, ...rest } = spanInput.decode(value, place);
    return Object.freeze({ ...rest, sequenceId: number.decode(sequenceId ?? null, `${place}.sequence_id`) });
  },
};
