import type { Log } from "../../core/ports/log.ts";

type Level = "info" | "warn";

/** One line of JSON per entry on standard output, as CloudWatch takes it. */
export function createLog(level: Level, write: (line: string) => void = (line) => console.log(line)): Log {
  const entry = (at: Level, message: string, fields: object = {}) =>
    write(JSON.stringify({ level: at, time: new Date().toISOString(), message, ...fields }));
  return {
    info: (message, fields) => {
      if (level === "info") entry("info", message, fields);
    },
    warn: (message, fields) => entry("warn", message, fields),
  };
}
