/** Anything that was thrown, as text that is safe to store. */
export interface ThrownDescription {
  readonly name: string;
  readonly message: string;
  /** Name and message on one line, with the messages of its causes. */
  readonly text: string;
  readonly stack?: string;
}

/** Longest message and longest whole text kept, in UTF-16 units: records and log lines stay readable. */
const maxMessageLength = 4_096;
const maxTextLength = 8_192;
const maxCauses = 4;

function shorten(text: string, most: number = maxMessageLength): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}… (${text.length - most} more characters)`;
}

/** Reads a property that may be a getter that throws, or of an object that refuses to be read. */
function readProperty(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    return undefined;
  }
}

function readText(value: object, key: string): string | undefined {
  const text = readProperty(value, key);
  return typeof text === "string" && text !== "" ? shorten(text) : undefined;
}

function asJson(value: object): string {
  try {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined || text === "{}" ? "no readable message" : shorten(text);
  } catch {
    return "an object that cannot be shown";
  }
}

function describeObject(value: object): Omit<ThrownDescription, "text"> {
  const stack = readText(value, "stack");
  const name = readText(value, "name") ?? "Error";
  const errors = readProperty(value, "errors");
  const inner = Array.isArray(errors) ? errors.slice(0, maxCauses).map((error) => describeThrown(error).text) : [];
  const own = readText(value, "message") ?? (stack === undefined ? asJson(value) : "no readable message");
  const message = inner.length === 0 ? own : shorten(`${own} [${inner.join("; ")}]`);
  return { name, message, ...(stack === undefined ? {} : { stack }) };
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

function describePrimitive(value: unknown): string {
  return typeof value === "string"
    ? shorten(value)
    : typeof value === "symbol"
      ? value.toString()
      : `${value as number}`;
}

function causesOf(value: unknown): string[] {
  const seen = new Set([value]);
  const texts: string[] = [];
  let current = isObject(value) ? readProperty(value, "cause") : undefined;
  while (current !== undefined && current !== null && !seen.has(current) && texts.length < maxCauses) {
    seen.add(current);
    if (!isObject(current)) {
      texts.push(describePrimitive(current));
      break;
    }
    texts.push(describeObject(current).message);
    current = readProperty(current, "cause");
  }
  return texts;
}

/** Describes whatever an agent, hook or store threw; never throws itself, and the text is bounded. */
export function describeThrown(thrown: unknown): ThrownDescription {
  if (!isObject(thrown)) {
    const message = `the agent threw ${thrown === "" ? "an empty string" : shorten(String(thrown))}`;
    return { name: "Error", message, text: message };
  }
  const description = describeObject(thrown);
  const causes = causesOf(thrown).map((cause) => `; caused by: ${cause}`);
  return {
    ...description,
    text: shorten(`${description.name}: ${description.message}${causes.join("")}`, maxTextLength),
  };
}
