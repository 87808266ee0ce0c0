import { digest } from "../model-server/completion.ts";

/** Whether this text is one of the seeded share; the same seed and text always give the same answer. */
export function isInShare(text: string, seed: number, share: number): boolean {
  return Number.parseInt(digest(`${seed}\u0000${text}`), 16) / 2 ** 32 < share;
}
