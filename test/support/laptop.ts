import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { compileCache } from "./compile-cache.ts";

const main = fileURLToPath(new URL("../../local/main.ts", import.meta.url));

const Ready = z.object({
  url: z.string(),
  pid: z.int(),
  endpoints: z.object({
    dynamodb: z.string(),
    s3: z.string(),
    stepfunctions: z.string(),
    model: z.string().nullable(),
  }),
});

const Counts = z.record(z.string(), z.number());
const Counters = z.object({
  invocations: Counts,
  transitions: z.number(),
  executions: z.number(),
  dynamodb: z.object({ operations: Counts, capacity: z.object({ read: z.number(), write: z.number() }) }),
  s3: Counts,
});
export type Counters = z.infer<typeof Counters>;

export type LaptopOptions = {
  /** Where state is kept; in memory when not given. */
  readonly data?: string;
  /** Where model requests go; the stack's own offline model when not given. */
  readonly model?: { readonly openaiBaseUrl: string; readonly anthropicBaseUrl: string };
  readonly env?: Readonly<Record<string, string>>;
};

export type Laptop = z.infer<typeof Ready> & {
  readonly counters: () => Promise<Counters>;
  /** Ends the stack as Ctrl-C does and gives its exit code. */
  readonly stop: () => Promise<number | null>;
  /** Ends it as a power cut does. */
  readonly kill: () => Promise<void>;
  /** What it has printed so far, standard error included. */
  readonly output: () => string;
};

/** The whole stack in a process of its own, as `npm start` runs it, on a free port. */
export async function startLaptop(options: LaptopOptions = {}): Promise<Laptop> {
  const where = options.data === undefined ? ["--memory"] : ["--data", options.data];
  const model = options.model === undefined ? ["--offline-model"] : [];
  const child = spawn(process.execPath, [main, "--port", "0", "--json", ...where, ...model], {
    env: { ...process.env, ...compileCache, ...modelEnvironment(options), ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => printed.push(chunk.toString()));
  const ready = await firstLine(child, printed);
  return {
    ...ready,
    counters: async () => Counters.parse(await (await fetch(new URL("/_local/counters", ready.url))).json()),
    stop: () => end(child, "SIGTERM"),
    kill: async () => {
      await end(child, "SIGKILL");
    },
    output: () => printed.join(""),
  };
}

function modelEnvironment({ model }: LaptopOptions): Record<string, string> {
  return model === undefined
    ? {}
    : { OPENAI_BASE_URL: model.openaiBaseUrl, ANTHROPIC_BASE_URL: model.anthropicBaseUrl };
}

async function firstLine(child: ChildProcess, printed: string[]): Promise<z.infer<typeof Ready>> {
  if (child.stdout === null) throw new Error("the stack's output is not read");
  const lines = createInterface({ input: child.stdout });
  const line = new Promise<string>((resolve, reject) => {
    lines.once("line", resolve);
    child.once("exit", (code) => reject(new Error(`the stack ended with ${code}: ${printed.join("")}`)));
  });
  const first = await line;
  lines.on("line", (next) => printed.push(`${next}\n`));
  return Ready.parse(JSON.parse(first));
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
  return child.exitCode;
}
