/** Structured log lines: ids, codes and counts. Never content, never a credential. */
export type Log = {
  info(message: string, fields?: Readonly<Record<string, string | number | boolean | null>>): void;
  warn(message: string, fields?: Readonly<Record<string, string | number | boolean | null>>): void;
};
