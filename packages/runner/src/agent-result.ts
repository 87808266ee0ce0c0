import { LightningError, type SpanInput } from "@agentlightning/core";
import { completeSpan, type ReturnedSpanOwner } from "./returned-span.ts";

/** What an agent's return value means. */
export type InterpretedResult =
  | { readonly kind: "nothing" }
  | { readonly kind: "reward"; readonly value: number }
  | { readonly kind: "spans"; readonly spans: readonly SpanInput[] };

function kindOf(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null) return `a ${typeof value}`;
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof name === "string" && name !== "Object" && name !== ""
    ? `an object (${name.slice(0, 80)})`
    : "an object";
}

function refuse(kind: string): never {
  throw new LightningError({
    code: "agent_result_invalid",
    message: `The agent returned ${kind}; it may return nothing, a finite number, a boolean, or a list of spans.`,
    details: { kind },
  });
}

/**
 * Decides what a returned value means.
 *
 * @throws agent_result_invalid naming the kind of a value that may not be returned
 */
export function interpretResult(result: unknown, owner: ReturnedSpanOwner): InterpretedResult {
  if (result === undefined || result === null) return { kind: "nothing" };
  if (typeof result === "boolean") return { kind: "reward", value: result ? 1 : 0 };
  if (typeof result === "number")
    return Number.isFinite(result) ? { kind: "reward", value: result } : refuse(`${result}`);
  if (!Array.isArray(result)) return refuse(kindOf(result));
  const spans = result.map((item: unknown, index) => {
    return completeSpan(item, owner) ?? refuse(`a list whose item ${index} is no span but ${kindOf(item)}`);
  });
  return { kind: "spans", spans };
}
