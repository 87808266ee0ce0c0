import { createReadStream } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { LightningError } from "../errors.ts";
import { jsonl } from "../jsonl.ts";

/**
 * A dataset of one JSON value a line. The file is streamed, anew for each iteration, so it may be of any size and
 * serve several epochs.
 *
 * @throws dataset_invalid (while iterating) naming `file:line`, or the file when it cannot be read
 */
export function jsonlFile<T = never>(path: string | URL): AsyncIterable<T> {
  const file = path instanceof URL || path.startsWith("file:") ? fileURLToPath(path) : path;
  const name = relative(process.cwd(), file) || file;
  return {
    async *[Symbol.asyncIterator]() {
      try {
        yield* jsonl<T>(createReadStream(file), { name });
      } catch (cause) {
        if (LightningError.isInstance(cause)) throw cause;
        if (!(cause instanceof Error && "code" in cause)) throw cause;
        throw new LightningError({
          code: "dataset_invalid",
          message: `${name} cannot be read: ${cause.message}`,
          cause,
        });
      }
    },
  };
}
