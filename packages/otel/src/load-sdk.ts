import type { TracerProvider } from "@opentelemetry/api";
import type { LightningSpanProcessor } from "./span-processor.ts";

/** SamplingDecision.RECORD_AND_SAMPLED of every SDK. */
const recordAndSampled = 2;

interface ProviderConfig {
  readonly sampler: { readonly shouldSample: () => { readonly decision: number }; readonly toString: () => string };
  readonly spanProcessors: readonly LightningSpanProcessor[];
  readonly spanLimits: Readonly<Record<string, number>>;
}

type ProviderClass = new (config: ProviderConfig) => TracerProvider;

/** The default limits keep 128 attributes a span and drop the rest without a word; a long conversation has more. */
const spanLimits = { attributeCountLimit: 10_000, eventCountLimit: 10_000, linkCountLimit: 10_000 };

/** OTEL_TRACES_SAMPLER is about the application's backend: an attempt without its spans is of no use. */
const sampler = { shouldSample: () => ({ decision: recordAndSampled }), toString: () => "AgentLightningAlwaysOn" };

/** SDK 3.x, then 2.x; each with the name its class goes by there. */
const candidates = [
  { module: "@opentelemetry/sdk-trace", name: "TracerProvider" },
  { module: "@opentelemetry/sdk-trace", name: "BasicTracerProvider" },
  { module: "@opentelemetry/sdk-trace-base", name: "BasicTracerProvider" },
] as const;

async function importIfInstalled(module: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    return (await import(module)) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

/** A provider with our processor, of whichever SDK can be imported; `undefined` when none can. */
export async function loadSdk(processor: LightningSpanProcessor): Promise<TracerProvider | undefined> {
  for (const { module, name } of candidates) {
    const found = (await importIfInstalled(module))?.[name];
    if (typeof found !== "function") continue;
    return new (found as ProviderClass)({ sampler, spanProcessors: [processor], spanLimits });
  }
  return undefined;
}
