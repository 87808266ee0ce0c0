import { LightningError } from "@agentlightning/core";
import { context, type ContextManager, type TracerProvider, trace } from "@opentelemetry/api";
import { loadSdk } from "./load-sdk.ts";
import { registeredGlobals } from "./registered-globals.ts";
import { LightningSpanProcessor } from "./span-processor.ts";

interface OwnTracing {
  loading: Promise<TracerProvider | undefined> | undefined;
  registering: Promise<boolean> | undefined;
  registered: TracerProvider | undefined;
  contextManager: ContextManager | undefined;
}

const key = Symbol.for("agentlightning.otel.provider");
const holder = globalThis as { [key]?: OwnTracing };
const own: OwnTracing = (holder[key] ??= {
  loading: undefined,
  registering: undefined,
  registered: undefined,
  contextManager: undefined,
});

/** Our own provider, the same one every time; `undefined` without an SDK. */
export function ownProvider(): Promise<TracerProvider | undefined> {
  // Kept for good: tracers that libraries cached while it was registered go on working at the next lease.
  own.loading ??= loadSdk(new LightningSpanProcessor());
  return own.loading;
}

/** Whether ours is the registered provider; the application may have taken it away since. */
export function isOwnRegistered(): boolean {
  const provider = trace.getTracerProvider() as TracerProvider & { readonly getDelegate?: () => TracerProvider };
  return own.registered !== undefined && (provider.getDelegate?.() ?? provider) === own.registered;
}

async function registerNow(provider: TracerProvider): Promise<boolean> {
  if (!trace.setGlobalTracerProvider(provider)) return false;
  own.registered = provider;
  const { createContextManager } = await import("./load-context-manager.ts");
  const manager = await createContextManager();
  if (manager !== undefined && context.setGlobalContextManager(manager.enable())) own.contextManager = manager;
  return true;
}

/** Registers our provider and a context manager, each only where there is none; `false` when somebody else was first. */
export async function registerOwn(provider: TracerProvider): Promise<boolean> {
  if (own.registered !== undefined && !isOwnRegistered()) unregisterOwn();
  own.registering ??= registerNow(provider);
  const isRegistered = await own.registering;
  if (!isRegistered) own.registering = undefined;
  return isRegistered;
}

/** Takes back what {@link registerOwn} registered, and nothing that came after. */
export function unregisterOwn(): void {
  if (own.registered === undefined) return;
  if (isOwnRegistered()) trace.disable();
  if (own.contextManager !== undefined && registeredGlobals().context === own.contextManager) context.disable();
  own.registering = undefined;
  own.registered = undefined;
  own.contextManager = undefined;
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
