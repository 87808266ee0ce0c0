import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { expect, test } from "vitest";
import { defineAgent } from "../src/index.ts";
import { runOne } from "./support.ts";

test("spans of an OpenTelemetry SDK that an agent collected itself may be returned as they are", async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const agent = defineAgent(async () => {
    provider
      .getTracer("the agent's own")
      .startSpan("model call", { attributes: { tokens: 12 } })
      .end();
    await provider.forceFlush();
    return exporter.getFinishedSpans();
  });
  const { spans, rollout, rolloutId } = await runOne(agent);
  expect(rollout).toBe("succeeded");
  expect(spans).toMatchObject([{ rolloutId, name: "model call", attributes: { tokens: 12 }, sequenceId: 1 }]);
  await provider.shutdown();
});
