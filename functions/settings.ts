import * as z from "zod";
import { env } from "../contract/env.ts";

const DEFAULT_RESULT_SECONDS = 600;
const DEFAULT_SCRIPT_CPU_MS = 30_000;

const positive = (fallback: number) => z.coerce.number().positive().default(fallback);

const Environment = z.object({
  [env.table]: z.string().min(1),
  [env.bucket]: z.string().min(1),
  [env.stateMachine]: z.string().optional(),
  [env.kmsKey]: z.string().optional(),
  [env.keyFile]: z.string().optional(),
  [env.operatorProject]: z.string().min(1).default("prj_default"),
  [env.toolResultSeconds]: positive(DEFAULT_RESULT_SECONDS),
  [env.scriptCpuMs]: positive(DEFAULT_SCRIPT_CPU_MS),
  [env.logLevel]: z.enum(["info", "warn"]).default("info"),
  [env.openaiBaseUrl]: z.string().optional(),
  [env.anthropicBaseUrl]: z.string().optional(),
});

/** What a function reads from its environment. Throws when a required variable is missing or has no sense. */
export function readSettings(variables: Readonly<Record<string, string | undefined>> = process.env) {
  const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  const parsed = Environment.parse(set);
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
export type Settings = ReturnType<typeof readSettings>;
