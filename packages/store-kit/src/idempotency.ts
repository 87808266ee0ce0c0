/** The id that an idempotency key stands for, `ro-` or `rs-` + 32 hex digits: the same key always gives the same id. */
export async function idOfKey(prefix: "ro" | "rs", key: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));
  return `${prefix}-${Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
