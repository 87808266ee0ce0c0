import { LightningError, type Logger } from "@agentlightning/core";
import { type Tracer, trace } from "@opentelemetry/api";
import { isOwnRegistered, ownProvider, registerOwn, unregisterOwn } from "./own-provider.ts";
import { type FoundProvider, probeProvider } from "./probe-provider.ts";

/** How spans reach attempts. `joined`: through the application's provider; `own_global`: ours, registered while leased; `own_private`: ours, beside the application's; `none`: no SDK, only emitters and returned spans. */
export type TracingMode = "joined" | "own_global" | "own_private" | "none";

/** A hold on the process's tracing. */
export interface TracingLease {
  readonly mode: TracingMode;
  /** Where agents make spans that arrive. */
  readonly tracer: Tracer;
  /** What the user should know, once; nothing when no SDK is installed, as agents need none. */
  readonly warning?: LightningError;
  /** Gives the hold back; the last one leaves the globals as they were. Idempotent. */
  release(): Promise<void>;
}

const tracerName = "agentlightning";
const key = Symbol.for("agentlightning.otel.leases");
const holder = globalThis as { [key]?: { count: number } };
const leases = (holder[key] ??= { count: 0 });

type TracingChoice = Pick<TracingLease, "mode" | "tracer" | "warning">;

function warningAbout(found: FoundProvider): LightningError {
  if (found === "unreachable") {
    return new LightningError({
      code: "otel_api_duplicate",
      message:
        "another copy of @opentelemetry/api holds this process's provider, so spans of libraries that use that copy do not reach the store; run: npm ls @opentelemetry/api",
    });
  }
  return new LightningError({
    code: "bridge_not_registered",
    message:
      "an OpenTelemetry provider is registered without LightningSpanProcessor, so spans of libraries do not reach the store; add to its options: spanProcessors: [new LightningSpanProcessor({ store }), …]",
  });
}

async function choose(): Promise<TracingChoice> {
  const found = probeProvider();
  if (found === "ours" && !isOwnRegistered()) return { mode: "joined", tracer: trace.getTracer(tracerName) };
  const provider = await ownProvider();
  // Looked at again: the application may have registered its own while ours was loading.
  const now = probeProvider();
  if (now === "foreign" || now === "unreachable") {
    const warning = warningAbout(now);
    if (provider === undefined) return { mode: "none", tracer: trace.getTracer(tracerName), warning };
    return { mode: "own_private", tracer: provider.getTracer(tracerName), warning };
  }
  if (provider === undefined) return { mode: "none", tracer: trace.getTracer(tracerName) };
  if (now === "ours" && !isOwnRegistered()) return { mode: "joined", tracer: trace.getTracer(tracerName) };
  if (await registerOwn(provider)) return { mode: "own_global", tracer: trace.getTracer(tracerName) };
  return { mode: "own_private", tracer: provider.getTracer(tracerName), warning: warningAbout("foreign") };
}

/**
 * Makes sure that spans of agents arrive, without replacing anything: joins a registered provider that lists a
 * LightningSpanProcessor; else brings our own from whichever SDK is installed, registered only while nobody else has
 * registered one. Leases are counted; the last release leaves the globals as they were. Never throws.
 */
export async function acquireTracing(_options: { readonly logger?: Logger | undefined } = {}): Promise<TracingLease> {
  // Counted before anything is awaited: a release meanwhile must not take away what this one builds on.
  leases.count += 1;
  const choice = await choose();
  let isReleased = false;
  return {
    ...choice,
    release: async () => {
      if (isReleased) return;
      isReleased = true;
      leases.count -= 1;
      if (leases.count === 0) unregisterOwn();
    },
  };
}
