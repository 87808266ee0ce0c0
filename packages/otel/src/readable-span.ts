import type { HrTime, Link, SpanContext, SpanStatus } from "@opentelemetry/api";

/** What we read of an SDK's event. */
export interface ReadableEvent {
  readonly name: string;
  readonly time: HrTime;
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
}

/** What we read of an SDK's resource; attributes may settle later. */
export interface ReadableResource {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly schemaUrl?: string | undefined;
  readonly asyncAttributesPending?: boolean | undefined;
  readonly waitForAsyncAttributes?: (() => Promise<void>) | undefined;
}

/** What we read of an SDK's span; structural, so that SDK 1.x to 3.x fit without being imported. */
export interface ReadableSpanLike {
  readonly name: string;
  readonly spanContext: () => SpanContext;
  /** SDK 2.x and later. */
  readonly parentSpanContext?: SpanContext | undefined;
  /** SDK 1.x. */
  readonly parentSpanId?: string | undefined;
  readonly startTime: HrTime;
  readonly endTime: HrTime;
  readonly ended: boolean;
  readonly status: SpanStatus;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly ReadableEvent[];
  readonly links: readonly Link[];
  readonly resource?: ReadableResource | undefined;
}
