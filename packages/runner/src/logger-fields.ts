import type { Logger } from "@agentlightning/core";

/** A logger whose every line names what it is about. */
export function withFields(logger: Logger, fields: Readonly<Record<string, unknown>>): Logger {
  const extend = (level: keyof Logger): Logger["info"] => {
    return (message, more) => logger[level](message, { ...fields, ...more });
  };
  return { debug: extend("debug"), info: extend("info"), warn: extend("warn"), error: extend("error") };
}
