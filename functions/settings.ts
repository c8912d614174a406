import * as z from "zod";
import { env, most } from "../contract/env.ts";

const DEFAULT_RESULT_SECONDS = 600;
const DEFAULT_SCRIPT_CPU_MS = 30_000;

function positive(fallback: number, limit: number) {
  const expected = `a number above 0, at most ${limit.toLocaleString("en")}`;
  return z.coerce.number(expected).positive(expected).max(limit, expected).default(fallback);
}
const address = z.url({ protocol: /^https?$/, error: "an address that begins with https:// or http://" });

const Environment = z.object({
  [env.table]: z.string("a table's name"),
  [env.bucket]: z.string("a bucket's name"),
  [env.stateMachine]: z.string().optional(),
  [env.kmsKey]: z.string().optional(),
  [env.keyFile]: z.string().optional(),
  [env.operatorProject]: z.string().default("prj_default"),
  [env.toolResultSeconds]: positive(DEFAULT_RESULT_SECONDS, most.toolResultSeconds),
  [env.scriptCpuMs]: positive(DEFAULT_SCRIPT_CPU_MS, most.scriptCpuMs),
  [env.logLevel]: z.enum(["info", "warn"], "info or warn").default("info"),
  [env.openaiBaseUrl]: address.optional(),
  [env.anthropicBaseUrl]: address.optional(),
});

/** What a function reads from its environment. Throws an error that names each variable that is missing or wrong. */
export function readSettings(variables: Readonly<Record<string, string | undefined>> = process.env) {
  const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  const { success, data: parsed, error } = Environment.safeParse(set);
  if (!success) throw new Error(error.issues.map(explain).join(" "));
  return {
    table: parsed[env.table],
    bucket: parsed[env.bucket],
    stateMachineArn: parsed[env.stateMachine] ?? null,
    kmsKey: parsed[env.kmsKey] ?? null,
    keyFile: parsed[env.keyFile] ?? null,
    operatorProject: parsed[env.operatorProject],
    toolResultSeconds: parsed[env.toolResultSeconds],
    scriptCpuMs: parsed[env.scriptCpuMs],
    logLevel: parsed[env.logLevel],
    openaiBaseUrl: parsed[env.openaiBaseUrl],
    anthropicBaseUrl: parsed[env.anthropicBaseUrl],
  };
}

const explain = ({ path, message }: z.core.$ZodIssue): string => `${path.join(".")} has to be ${message}.`;

export type Settings = ReturnType<typeof readSettings>;
