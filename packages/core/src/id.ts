import type { IdGenerator } from "./clock.ts";

const hexPairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function hexFrom(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += hexPairs[byte] ?? "";
  return text;
}

/** Random bytes drawn in bulk: a call of the generator for each id costs more than the rest of making it. */
function pooledBytes(): (count: number) => Uint8Array {
  const pool = new Uint8Array(4_096);
  let next = pool.length;
  return (count) => {
    if (next + count > pool.length) {
      crypto.getRandomValues(pool);
      next = 0;
    }
    next += count;
    return pool.subarray(next - count, next);
  };
}

/**
 * Makes ids in the reference's format (`ro-`, `at-`, `rs-` and lower-case hex digits). The reference uses 8 to 12
 * digits, which collide at scale; ours are longer and as readable to it.
 *
 * @param bytes - Source of randomness; `crypto.getRandomValues` unless a test gives another.
 */
export function createIdGenerator(bytes: (count: number) => Uint8Array = pooledBytes()): IdGenerator {
  return {
    rolloutId: () => `ro-${hexFrom(bytes(10))}`,
    attemptId: () => `at-${hexFrom(bytes(8))}`,
    resourcesId: () => `rs-${hexFrom(bytes(8))}`,
    traceId: () => hexFrom(bytes(16)),
    spanId: () => hexFrom(bytes(8)),
  };
}
