import { LightningError, type Logger } from "@agentlightning/core";
import { context, isSpanContextValid, type Tracer, type TracerProvider, trace } from "@opentelemetry/api";
import { loadSdk } from "./load-sdk.ts";
import { runInScope } from "./rollout-context.ts";
import { LightningSpanProcessor, sinkOf } from "./span-processor.ts";
import type { SpanSink } from "./span-sink.ts";

/** How spans reach attempts. `joined`: through the application's provider; `own_global`: ours, registered while leased; `own_private`: ours, beside the application's; `none`: no SDK, only emitters and returned spans. */
export type TracingMode = "joined" | "own_global" | "own_private" | "none";

/** A hold on the process's tracing. */
export interface TracingLease {
  readonly mode: TracingMode;
  /** Where agents make spans that arrive. */
  readonly tracer: Tracer;
  /** What the user should know, once. */
  readonly warning?: LightningError;
  /** Gives the hold back; the last one leaves the globals as they were. Idempotent. */
  release(): Promise<void>;
}

interface SharedTracing {
  holders: number;
  registered: boolean;
  ownsContextManager: boolean;
  provider: TracerProvider | undefined;
  loading: Promise<TracerProvider | undefined> | undefined;
}

const key = Symbol.for("agentlightning.otel.provider");
const holder = globalThis as { [key]?: SharedTracing };
const shared: SharedTracing = (holder[key] ??= {
  holders: 0,
  registered: false,
  ownsContextManager: false,
  provider: undefined,
  loading: undefined,
});

const deaf: Omit<SpanSink, "tracer"> = {
  started: () => ({ order: 0 }),
  ended: () => undefined,
  reserve: () => undefined,
};

/** Asks the registered provider for a span, to see whether there is one, and whether it leads to a processor of ours. The span is never ended, so no exporter sees it. */
function probe(): "absent" | "foreign" | "ours" {
  const tracer = trace.getTracer("agentlightning");
  const scope = { identity: { rolloutId: "probe", attemptId: "probe" }, sink: { ...deaf, tracer } };
  const span = runInScope(scope, () => tracer.startSpan("agentlightning.probe", { root: true }));
  if (sinkOf(span) !== undefined) return "ours";
  return isSpanContextValid(span.spanContext()) ? "foreign" : "absent";
}

async function ownProvider(): Promise<TracerProvider | undefined> {
  // Kept for good: tracers that libraries cached while it was registered go on working at the next lease.
  shared.loading ??= loadSdk(new LightningSpanProcessor());
  shared.provider = await shared.loading;
  return shared.provider;
}

async function register(provider: TracerProvider): Promise<void> {
  if (!trace.setGlobalTracerProvider(provider)) return;
  shared.registered = true;
  const { createContextManager } = await import("./load-context-manager.ts");
  const manager = await createContextManager();
  if (manager !== undefined) shared.ownsContextManager = context.setGlobalContextManager(manager.enable());
}

function unregister(): void {
  if (shared.registered) trace.disable();
  if (shared.ownsContextManager) context.disable();
  shared.registered = false;
  shared.ownsContextManager = false;
}

function leaseOf(mode: TracingMode, tracer: Tracer, warning?: LightningError): TracingLease {
  shared.holders += 1;
  let released = false;
  return {
    mode,
    tracer,
    ...(warning === undefined ? {} : { warning }),
    release: async () => {
      if (released) return;
      released = true;
      shared.holders -= 1;
      if (shared.holders === 0) unregister();
    },
  };
}

/**
 * Makes sure that spans of agents arrive, without replacing anything: joins a registered provider that lists a
 * LightningSpanProcessor; else brings our own from whichever SDK is installed, registered only while nobody else has
 * registered one. Leases are counted; the last release leaves the globals as they were. Never throws.
 */
export async function acquireTracing(_options: { readonly logger?: Logger | undefined } = {}): Promise<TracingLease> {
  const found = probe();
  if (found === "ours") return leaseOf(shared.registered ? "own_global" : "joined", trace.getTracer("agentlightning"));
  const provider = await ownProvider();
  if (found === "foreign" || probe() === "foreign") {
    const warning = new LightningError({
      code: "bridge_not_registered",
      message:
        "an OpenTelemetry provider is registered without LightningSpanProcessor, so spans of libraries do not reach the store; add to its options: spanProcessors: [new LightningSpanProcessor({ store }), …]",
    });
    return leaseOf(
      provider === undefined ? "none" : "own_private",
      (provider ?? trace).getTracer("agentlightning"),
      warning,
    );
  }
  if (provider === undefined) return leaseOf("none", trace.getTracer("agentlightning"));
  if (!shared.registered) await register(provider);
  return leaseOf("own_global", trace.getTracer("agentlightning"));
}

/** Our own provider, from whichever SDK is installed; not registered. @throws otel_sdk_missing with the install line */
export async function createLightningProvider(): Promise<TracerProvider> {
  const provider = await ownProvider();
  if (provider !== undefined) return provider;
  throw new LightningError({
    code: "otel_sdk_missing",
    message:
      "no OpenTelemetry SDK is installed; run: npm install @opentelemetry/sdk-trace-base @opentelemetry/context-async-hooks",
  });
}
