/** Marks text that JSON alone cannot say; what follows is JSON in which marked values are objects with this key. */
const mark = "~";

function isPlainNumber(value: number): boolean {
  return Number.isFinite(value) && !Object.is(value, -0);
}

/** Whether JSON keeps the value exactly. */
function isPlain(value: unknown): boolean {
  if (typeof value === "number") return isPlainNumber(value);
  if (typeof value !== "object" || value === null) return value !== undefined;
  if (Array.isArray(value)) return value.every(isPlain);
  for (const key in value) {
    if (key === mark || !isPlain((value as Record<string, unknown>)[key])) return false;
  }
  return true;
}

/** Sets an own property whatever its name; a plain assignment of `__proto__` would set the prototype. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

function mapObject(value: object, change: (value: unknown) => unknown): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) setOwn(copy, key, change(field));
  return copy;
}

function marked(value: unknown): unknown {
  if (value === undefined) return { [mark]: "undefined" };
  if (typeof value === "number") {
    return isPlainNumber(value) ? value : { [mark]: Object.is(value, -0) ? "-0" : String(value) };
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(marked);
  return Object.hasOwn(value, mark)
    ? { [mark]: Object.entries(value).map(([key, field]) => [key, marked(field)]) }
    : mapObject(value, marked);
}

function unmarked(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(unmarked);
  if (!Object.hasOwn(value, mark)) return mapObject(value, unmarked);
  const content = (value as Record<string, unknown>)[mark];
  if (content === "undefined") return undefined;
  if (!Array.isArray(content)) return Number(content);
  const copy: Record<string, unknown> = {};
  for (const [key, field] of content) setOwn(copy, key, unmarked(field));
  return copy;
}

/** A value as text: JSON where that is exact, otherwise marked JSON. Lone surrogates and U+0000 are escaped either way. */
export function encodeValue(value: unknown): string {
  return isPlain(value) ? JSON.stringify(value) : `${mark}${JSON.stringify(marked(value))}`;
}

/** The value that {@link encodeValue} was given. */
export function decodeValue(text: string): unknown {
  return text.startsWith(mark) ? unmarked(JSON.parse(text.slice(1))) : JSON.parse(text);
}

/** Text that SQLite would cut or change: U+0000, lone surrogates, and what begins like an escaped key. */
const escapePrefix = "\u0001";

/** An id as the text of a column; equal ids, and only those, give equal keys. */
export function encodeKey(id: string): string {
  const isExact = id.isWellFormed() && !id.includes("\u0000") && !id.startsWith(escapePrefix);
  return isExact ? id : escapePrefix + JSON.stringify(id);
}
