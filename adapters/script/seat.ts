import { Worker } from "node:worker_threads";
import { limits } from "./limits.ts";
import { FromWorker, type Reply, type ToWorker } from "./protocol.ts";

/** Why a worker will not answer: killed by us, out of its heap, ended by itself, or it said what none may say. */
export type Loss = "killed" | "out_of_memory" | "exited" | "garbled";

export type Answer = Reply | { readonly type: "lost"; readonly loss: Loss };

/** One worker as the host sees it. It keeps the process alive only while it owes an answer. */
export type Seat = {
  /** Resolves when a script can start: true, or false when the worker was lost before. */
  ready(): Promise<boolean>;
  /** One step at a time. */
  step(message: Extract<ToWorker, { type: "step" }>): Promise<Answer>;
  /** Makes it ready for another script. */
  reset(): void;
  /** Ends the thread at once; a step under way is answered as lost. */
  kill(): Promise<void>;
  /** True until the worker is lost. */
  alive(): boolean;
};

const options = {
  resourceLimits: { stackSizeMb: limits.threadStackMb, maxOldGenerationSizeMb: limits.threadHeapMb },
  // Nothing of the host's environment or command line is in the thread.
  env: {},
  argv: [],
  execArgv: [],
};

/** Starts a worker from `url`. `onLoss` is told once when it ends for another reason than `kill`. */
export function openSeat(url: URL, onLoss: (cause: unknown) => void): Seat {
  const worker = new Worker(url, options);
  let lost: Loss | null = null;
  let becameReady = Promise.withResolvers<boolean>();
  let waiting: ((answer: Answer) => void) | null = null;

  const answer = (given: Answer): void => {
    worker.unref();
    waiting?.(given);
    waiting = null;
  };
  const lose = (loss: Loss, cause: unknown): void => {
    if (lost !== null) return;
    lost = loss;
    becameReady.resolve(false);
    answer({ type: "lost", loss });
    if (loss === "killed") return;
    onLoss(cause);
    void worker.terminate();
  };

  worker.unref();
  worker.on("message", (message: unknown) => {
    const parsed = FromWorker.safeParse(message);
    if (!parsed.success) lose("garbled", parsed.error);
    else if (parsed.data.type === "ready") becameReady.resolve(true);
    else answer(parsed.data);
  });
  worker.on("messageerror", (error) => lose("garbled", error));
  worker.on("error", (error) => lose(isOutOfMemory(error) ? "out_of_memory" : "exited", error));
  worker.on("exit", () => lose("exited", new Error("the script worker ended")));

  return {
    ready: () => {
      worker.ref();
      return becameReady.promise.finally(() => worker.unref());
    },
    step: (message) =>
      new Promise((resolve) => {
        if (lost !== null) return resolve({ type: "lost", loss: lost });
        if (waiting !== null) throw new Error("the worker runs a step already");
        waiting = resolve;
        worker.ref();
        worker.postMessage(message);
      }),
    reset() {
      becameReady = Promise.withResolvers();
      worker.postMessage({ type: "reset" });
    },
    async kill() {
      lose("killed", null);
      await worker.terminate();
    },
    alive: () => lost === null,
  };
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
