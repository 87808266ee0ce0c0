import type { SpanDraft } from "./span-sink.ts";

/** About how much memory a waiting span takes: exact would cost more than it tells. */
export function estimateBytes(draft: SpanDraft): number {
  let bytes = 500 + draft.name.length + 200 * (draft.events.length + draft.links.length);
  for (const key of Object.keys(draft.attributes)) {
    const value = draft.attributes[key];
    bytes += key.length + (typeof value === "string" ? value.length : Array.isArray(value) ? 8 * value.length : 8);
  }
  return bytes;
}
