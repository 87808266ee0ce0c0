/** What is told of a thrown value. */
export interface ExceptionDescription {
  readonly type: string;
  readonly message: string;
  readonly stacktrace?: string;
}

const longestText = 100_000;

function read(value: object, key: string): string | undefined {
  try {
    const field: unknown = Reflect.get(value, key);
    return typeof field === "string" ? field.slice(0, longestText) : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a thrown value without trusting it: getters may throw, texts may be huge, it may be no error at all. */
export function describeException(thrown: unknown): ExceptionDescription {
  if (typeof thrown !== "object" || thrown === null) {
    return { type: typeof thrown, message: String(thrown).slice(0, longestText) };
  }
  const stacktrace = read(thrown, "stack");
  return {
    type: read(thrown, "name") ?? "Error",
    message: read(thrown, "message") ?? Object.prototype.toString.call(thrown),
    ...(stacktrace === undefined ? {} : { stacktrace }),
  };
}
