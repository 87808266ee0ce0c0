/** Any value that survives a JSON round trip, plus non-finite numbers and negative zero, which stores keep. */
export type JsonValue = string | number | boolean | null | JsonArray | JsonObject;
/** A JSON array that is not changed after it was given. */
export interface JsonArray extends ReadonlyArray<JsonValue> {}
/** A JSON object that is not changed after it was given. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
