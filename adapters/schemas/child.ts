import { fork } from "node:child_process";
import type { SchemaProblem } from "../../core/ports/schemas.ts";
import { limits } from "./limits.ts";
import { type CheckText, endings, FromWorker } from "./protocol.ts";

/** One worker as the host sees it. It keeps the host alive only while it owes an answer. */
export type Child = {
  /** True once it can check; false when it was lost before. */
  ready(): Promise<boolean>;
  /** One request at a time. Whatever a schema does to the process is a problem of the check that it was at. */
  check(checks: readonly CheckText[]): Promise<SchemaProblem | null>;
  /** True until the worker is lost. */
  alive(): boolean;
  end(): void;
};

const options = {
  serialization: "advanced",
  // Nothing of the host's environment or command line is in the process, and it says nothing but what it is asked.
  env: {},
  execArgv: [`--max-old-space-size=${limits.heapMb}`, `--stack-size=${limits.stackKb}`],
  stdio: ["ignore", "ignore", "ignore", "ipc"],
} satisfies Parameters<typeof fork>[2];

/** Starts a worker from `url`, whose requests each have `cpuMs`. `onLoss` is told when it is gone. */
export function openChild(url: URL, cpuMs: number, onLoss: () => void): Child {
  const child = fork(url, [String(cpuMs)], options);
  const started = Promise.withResolvers<boolean>();
  let lost: string | null = null;
  let at = 0;
  let answer: ((problem: SchemaProblem | null) => void) | null = null;

  const hold = (): void => {
    child.ref();
    child.channel?.ref();
  };
  const release = (): void => {
    child.unref();
    child.channel?.unref();
  };
  /** What is answered already stays answered. */
  const lose = (why: string): void => {
    if (lost !== null) return;
    lost = why;
    onLoss();
    started.resolve(false);
    answer?.({ index: at, problem: why });
    child.kill("SIGKILL");
  };
  release();
  child.on("message", (message: unknown) => {
    const { data } = FromWorker.safeParse(message);
    if (data === undefined) lose(BROKEN);
    else if (data.type === "ready") started.resolve(true);
    else if (data.type === "at") at = data.index;
    else {
      answer?.(data.problem);
      if (data.spent) lose(BROKEN);
    }
  });
  child.on("error", () => lose(BROKEN));
  child.on("exit", (_, signal) => lose(whyEnded(signal, cpuMs)));

  return {
    ready: () => {
      hold();
      return started.promise.finally(release);
    },
    async check(checks) {
      at = 0;
      const answered = new Promise<SchemaProblem | null>((resolve) => {
        answer = resolve;
      });
      hold();
      const timer = setTimeout(() => lose(tooLong(cpuMs)), limits.patience * cpuMs);
      if (lost === null) child.send([...checks]);
      else answer?.({ index: at, problem: lost });
      try {
        return await answered;
      } finally {
        clearTimeout(timer);
        answer = null;
        release();
      }
    },
    alive: () => lost === null,
    end: () => lose(BROKEN),
  };
}

const ADVICE = "Use simpler patterns, fewer combinations and fewer references in the schema.";
const BROKEN = `validation broke off. ${ADVICE}`;
const TOO_MUCH = `validation took too much memory. ${ADVICE}`;
const tooLong = (cpuMs: number): string => `validation took too long (more than ${cpuMs} ms). ${ADVICE}`;

/** The guard says why by its signal; a heap that is full aborts. */
function whyEnded(signal: NodeJS.Signals | null, cpuMs: number): string {
  if (signal === endings.tooLong) return tooLong(cpuMs);
  return signal === endings.tooMuch || signal === "SIGABRT" ? TOO_MUCH : BROKEN;
}
