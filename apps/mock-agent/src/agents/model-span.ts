import type { AgentTracer } from "@agentlightning/runner";
import { SpanKind, SpanStatusCode } from "@opentelemetry/api";

/** A message as the OpenTelemetry GenAI conventions write it. */
interface Message {
  readonly role: string;
  readonly content: string;
}

/** What a client brought back. */
export interface ModelAnswer {
  readonly text: string;
  readonly model: string;
  readonly id?: string | undefined;
  readonly finishReason?: string | undefined;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}

function toParts(messages: readonly Message[]): string {
  return JSON.stringify(messages.map(({ role, content }) => ({ role, parts: [{ type: "text", content }] })));
}

/** Records a model call of a client that does not speak OpenTelemetry, in the GenAI conventions. */
export async function withModelSpan(
  tracer: AgentTracer,
  request: { readonly model: string; readonly messages: readonly Message[] },
  call: () => Promise<ModelAnswer>,
): Promise<ModelAnswer> {
  const attributes = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": request.model,
    "gen_ai.input.messages": toParts(request.messages),
  };
  return tracer.startActiveSpan(`chat ${request.model}`, { kind: SpanKind.CLIENT, attributes }, async (span) => {
    try {
      const answer = await call();
      span.setAttributes({
        "gen_ai.output.messages": toParts([{ role: "assistant", content: answer.text }]),
        "gen_ai.response.model": answer.model,
        ...(answer.id === undefined ? {} : { "gen_ai.response.id": answer.id }),
        ...(answer.finishReason === undefined ? {} : { "gen_ai.response.finish_reasons": [answer.finishReason] }),
        ...(answer.inputTokens === undefined ? {} : { "gen_ai.usage.input_tokens": answer.inputTokens }),
        ...(answer.outputTokens === undefined ? {} : { "gen_ai.usage.output_tokens": answer.outputTokens }),
      });
      return answer;
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
      throw error;
    } finally {
      span.end();
    }
  });
}
