import { OpenTelemetry } from "@ai-sdk/otel";
import { registerTelemetry } from "ai";

let registered = false;

/** Makes the AI SDK emit spans; once per process, since every registration emits. */
export function registerAiTelemetry(): void {
  if (registered) return;
  registered = true;
  registerTelemetry(new OpenTelemetry());
}
