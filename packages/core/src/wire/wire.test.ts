import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attemptStatuses } from "../attempt.ts";
import { rolloutModes, rolloutStatuses } from "../rollout.ts";
import { spanStatusCodes } from "../span.ts";
import { workerStatuses } from "../worker.ts";
import * as wire from "./index.ts";

const id = fc.string({ minLength: 1, maxLength: 20 });
const instantMs = fc.integer({ min: 0, max: 4_000_000_000_000_000 }).map((micros) => micros / 1_000);
const jsonObject = fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 4,
}) as fc.Arbitrary<Record<string, never>>;
/** Leaves out what was not drawn, since absent and undefined are the same to us. */
const some = <T extends object>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  arbitrary.map((value) => Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T);
const may = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const config = some(
  fc.record({
    timeoutMs: may(instantMs),
    unresponsiveMs: may(instantMs),
    claimWithinMs: may(instantMs),
    maxAttempts: fc.integer({ min: 1, max: 9 }),
    retryCondition: fc.uniqueArray(fc.constantFrom(...attemptStatuses)),
    maxLostAttempts: fc.integer({ min: 0, max: 9 }),
  }),
);
const attempt = some(
  fc.record({
    rolloutId: id,
    attemptId: id,
    sequenceId: fc.integer({ min: 1, max: 999 }),
    startTimeMs: instantMs,
    endTimeMs: may(instantMs),
    status: fc.constantFrom(...attemptStatuses),
    workerId: may(id),
    lastHeartbeatTimeMs: may(instantMs),
    metadata: may(jsonObject),
    leaseExpiresAtMs: may(instantMs),
    error: may(id),
    droppedSpans: may(fc.nat()),
  }),
);
const rollout = some(
  fc.record({
    rolloutId: id,
    input: fc.jsonValue() as fc.Arbitrary<never>,
    startTimeMs: instantMs,
    endTimeMs: may(instantMs),
    mode: may(fc.constantFrom(...rolloutModes)),
    resourcesId: may(id),
    status: fc.constantFrom(...rolloutStatuses),
    config,
    metadata: jsonObject,
    lostAttempts: fc.nat(),
    idempotencyKey: may(id),
    endReason: may(fc.constant("unclaimed" as const)),
    attempt: may(attempt),
  }),
);
const worker = some(
  fc.record({
    workerId: id,
    status: fc.constantFrom(...workerStatuses),
    heartbeatStats: may(jsonObject),
    lastBusyTimeMs: may(instantMs),
    currentRolloutId: may(id),
  }),
);
const llm = some(
  fc.record({
    resourceType: fc.constantFrom("llm" as const, "proxy_llm" as const),
    endpoint: id,
    model: id,
    apiKey: may(id),
    samplingParameters: jsonObject,
  }),
);
const template = fc.record({
  resourceType: fc.constant("prompt_template" as const),
  template: fc.string(),
  engine: fc.constantFrom("jinja" as const, "f-string" as const, "poml" as const),
});
const resources = fc.dictionary(
  fc.constantFrom("main", "timeout_ms", "timeoutMs", "__proto__"),
  fc.oneof(llm, template),
);
const context = fc.record({
  traceId: id,
  spanId: id,
  isRemote: fc.boolean(),
  traceState: fc.dictionary(id, id, { maxKeys: 2 }),
});
const span = some(
  fc.record({
    rolloutId: id,
    attemptId: id,
    sequenceId: fc.nat(),
    traceId: id,
    spanId: id,
    parentId: may(id),
    name: fc.string(),
    status: some(fc.record({ statusCode: fc.constantFrom(...spanStatusCodes), description: may(id) })),
    attributes: jsonObject,
    events: fc.array(some(fc.record({ name: id, attributes: jsonObject, timestampMs: may(instantMs) })), {
      maxLength: 2,
    }),
    links: fc.array(some(fc.record({ context, attributes: may(jsonObject) })), { maxLength: 2 }),
    startTimeMs: may(instantMs),
    endTimeMs: may(instantMs),
    startTimeUnixNano: may(fc.bigInt({ min: 0n, max: 2n ** 63n }).map(String)),
    context: may(context),
    parent: may(context),
    resource: fc.record({ attributes: jsonObject, schemaUrl: fc.string() }),
    extra: may(
      fc.dictionary(fc.constantFrom("partition_id", "tenantId"), fc.jsonValue() as fc.Arbitrary<never>, { minKeys: 1 }),
    ),
  }),
);

/** Through JSON text, as over a real connection. */
function there<T>(codec: wire.ValueCodec<T>, value: T): T {
  return codec.decode(JSON.parse(JSON.stringify(codec.encode(value))) as never, "record");
}
/** JSON text has one zero only. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("every record comes back as it was sent", () => {
  test.each([
    ["rollout", wire.rollout as wire.ValueCodec<unknown>, rollout as fc.Arbitrary<unknown>],
    ["attempt", wire.attempt as wire.ValueCodec<unknown>, attempt],
    ["worker", wire.worker as wire.ValueCodec<unknown>, worker],
    ["resources", wire.namedResources as wire.ValueCodec<unknown>, resources],
    ["span", wire.span as wire.ValueCodec<unknown>, span],
  ])("%s", (_name, codec, arbitrary) => {
    fc.assert(
      fc.property(arbitrary, (value) => {
        expect(plain(there(codec, value))).toEqual(plain(value));
      }),
    );
  });
});

describe("the shape on the wire is the reference's", () => {
  test("absent fields are null, times are seconds, our own fields are left out when unset", () => {
    const value = {
      rolloutId: "ro-1",
      input: { timeoutMs: 5 },
      startTimeMs: 1_700_000_000_123.456,
      status: "queuing" as const,
      config: { maxAttempts: 2, retryCondition: ["timeout" as const], timeoutMs: 1_500, maxLostAttempts: 3 },
      metadata: {},
      lostAttempts: 0,
    };
    expect(wire.rollout.encode(value)).toEqual({
      rollout_id: "ro-1",
      input: { timeoutMs: 5 },
      start_time: 1_700_000_000.123456,
      end_time: null,
      mode: null,
      resources_id: null,
      status: "queuing",
      config: {
        timeout_seconds: 1.5,
        unresponsive_seconds: null,
        max_attempts: 2,
        retry_condition: ["timeout"],
        max_lost_attempts: 3,
      },
      metadata: {},
      lost_attempts: 0,
    });
  });

  test("a change that is absent stays absent, one that clears is null", () => {
    expect(wire.rolloutChanges.encode({ mode: null, metadata: undefined, status: "cancelled" })).toEqual({
      mode: null,
      status: "cancelled",
    });
    expect(wire.rolloutChanges.decode({ mode: null }, "changes")).toEqual({ mode: null });
  });

  test("a record of the reference without our fields is read with their defaults", () => {
    const read = wire.rollout.decode(
      { rollout_id: "ro-1", input: null, start_time: 1, status: "queuing", config: {}, metadata: null },
      "rollout",
    );
    expect(read).toEqual({
      rolloutId: "ro-1",
      input: null,
      startTimeMs: 1_000,
      status: "queuing",
      config: { maxAttempts: 1, retryCondition: [], maxLostAttempts: 3 },
      metadata: {},
      lostAttempts: 0,
    });
  });

  test("a field of the wrong kind is refused by its place", () => {
    expect(() => wire.attempt.decode({ rollout_id: 7 }, "attempt")).toThrow(
      "attempt.rollout_id must be a string, got number",
    );
    expect(() => wire.attempt.decode([], "attempt")).toThrow("attempt must be an object, got a list");
  });
});
