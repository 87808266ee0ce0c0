/** What is registered with the OpenTelemetry API in this process, by whichever copy of it. */
export interface RegisteredGlobals {
  readonly trace?: object | undefined;
  readonly context?: object | undefined;
}

/** The API keeps its globals under this symbol, for all its copies of one major version; it offers no way to ask. */
const apiKey = Symbol.for("opentelemetry.js.api.1");

/** Reads the API's registrations. */
export function registeredGlobals(): RegisteredGlobals {
  return (globalThis as { [apiKey]?: RegisteredGlobals })[apiKey] ?? {};
}
