/** Where a component says what it does; give your own to redirect it. */
export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Writes to the console; `debug` is silent. */
export const consoleLogger: Logger = {
  debug: () => undefined,
  info: (message, fields) => (fields === undefined ? console.info(message) : console.info(message, fields)),
  warn: (message, fields) => (fields === undefined ? console.warn(message) : console.warn(message, fields)),
  error: (message, fields) => (fields === undefined ? console.error(message) : console.error(message, fields)),
};

/** Says nothing. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
