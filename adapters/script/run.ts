import { wellFormedText } from "../../contract/nul.ts";
import type {
  RunningScript,
  ScriptCall,
  ScriptOptions,
  ScriptProgress,
  Settlement,
} from "../../core/ports/script.ts";
import { createBoard, readOutput } from "./board.ts";
import { cpuLimit, type Failure, memoryLimit, trapped } from "./failure.ts";
import type { Pool } from "./pool.ts";
import type { SettlementText } from "./protocol.ts";
import type { Answer, Seat } from "./seat.ts";
import { batches, memoryValues, scriptCalls, scriptText } from "./texts.ts";
import { watch } from "./watchdog.ts";

/** A running script was used in a way that its contract forbids: an error of the caller, not of the script. */
export class ScriptMisuse extends Error {
  override readonly name = "ScriptMisuse";
}

type Run = {
  readonly options: ScriptOptions;
  readonly seat: Seat;
  readonly signal: AbortSignal;
  readonly board: SharedArrayBuffer;
  /** What the worker says the script used: it only ever makes the worker's time shorter. */
  usedMs: number;
  state: "new" | "blocked" | "stepping" | "over" | "closed";
  /** False when the worker must not run another script. */
  intact: boolean;
  /** True when the worker was killed because it did not come back. */
  overdue: boolean;
};

/** Takes a worker for one script. Rejects with the signal's reason when it is aborted. */
export async function openRun(
  pool: Pool,
  options: ScriptOptions,
  signal: AbortSignal,
): Promise<RunningScript> {
  signal.throwIfAborted();
  const seat = await pool.take(signal);
  if (signal.aborted) {
    await pool.giveBack(seat, true);
    throw signal.reason;
  }
  const run: Run = {
    options,
    seat,
    signal,
    board: createBoard(),
    usedMs: 0,
    state: "new",
    intact: true,
    overdue: false,
  };
  const onAbort = (): void => void seat.kill();
  signal.addEventListener("abort", onAbort, { once: true });
  return {
    step: (settlements) => step(run, settlements),
    async close() {
      if (run.state === "closed") return;
      const idle = run.state !== "stepping";
      run.state = "closed";
      signal.removeEventListener("abort", onAbort);
      await pool.giveBack(seat, idle && run.intact);
    },
  };
}

async function step(run: Run, settlements: readonly Settlement[]): Promise<ScriptProgress> {
  run.signal.throwIfAborted();
  if (run.state !== "new" && run.state !== "blocked") {
    throw new ScriptMisuse(`The script is ${run.state}: step it only while it is blocked, once at a time.`);
  }
  let first = run.state === "new";
  run.state = "stepping";
  const calls: ScriptCall[] = [];
  for (const batch of batches(settlements)) {
    const answer = await ask(run, batch, first);
    first = false;
    const progress = understand(run, answer);
    calls.push(...progress.calls);
    if (progress.status !== "blocked") {
      moveOn(run, "over");
      return { ...progress, calls };
    }
  }
  moveOn(run, "blocked");
  return { status: "blocked", calls };
}

/** A run that was closed meanwhile stays closed. */
function moveOn(run: Run, state: "blocked" | "over"): void {
  if (run.state !== "closed") run.state = state;
}

/** One step of the worker, watched by the host's clock. Rejects when the run was aborted or closed meanwhile. */
async function ask(run: Run, settlements: readonly SettlementText[], first: boolean): Promise<Answer> {
  const { board, options, seat } = run;
  const script = first ? scriptText(options, board) : null;
  const stop = watch(board, options.cpuMs - run.usedMs, () => {
    run.overdue = true;
    void seat.kill();
  });
  try {
    const answer = await seat.step({ type: "step", script, settlements });
    run.signal.throwIfAborted();
    return answer;
  } finally {
    stop();
  }
}

function understand(run: Run, answer: Answer): ScriptProgress {
  try {
    switch (answer.type) {
      case "blocked":
        run.usedMs = Math.min(Math.max(answer.usedMs, run.usedMs), run.options.cpuMs);
        return { status: "blocked", calls: scriptCalls(answer.calls) };
      case "finished":
        return {
          status: "finished",
          output: output(run),
          memory: memoryValues(answer.memory),
          calls: scriptCalls(answer.calls),
        };
      case "failed":
        return failed(run, answer, scriptCalls(answer.calls));
      case "refused":
        run.intact = false;
        throw new ScriptMisuse(`The script cannot go on: ${answer.message}.`);
      case "lost":
        return failed(run, lossOf(run, answer));
    }
  } catch (error) {
    if (error instanceof ScriptMisuse) throw error;
    return failed(run, trapped(error));
  }
}

function lossOf(run: Run, { loss }: Extract<Answer, { type: "lost" }>): Failure {
  if (run.overdue) return cpuLimit(run.options.cpuMs);
  if (loss === "out_of_memory") return memoryLimit();
  if (loss !== "killed") return trapped(null);
  throw new ScriptMisuse("The script was closed while it ran a step.");
}

function failed(run: Run, failure: Failure, calls: readonly ScriptCall[] = []): ScriptProgress {
  const { code, message, broken } = failure;
  run.intact &&= !broken;
  return { status: "failed", code, message: wellFormedText(message), output: output(run), calls };
}

const output = (run: Run): string => wellFormedText(readOutput(run.board));
