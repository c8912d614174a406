import type { QuickJSHandle } from "quickjs-emscripten-core";
import { boardWriter } from "./board.ts";
import type { GuestClock } from "./clock.ts";
import { type CpuMeter, createCpuMeter } from "./cpu.ts";
import {
  cpuLimit,
  type Failure,
  memoryLimit,
  readThrown,
  SCRIPT_FILE,
  thrownFailure,
  trapped,
} from "./failure.ts";
import { type Guest, type GuestHost, installGuest, textOf } from "./guest.ts";
import { createInterpreter, type Interpreter } from "./interpreter.ts";
import { createLedger } from "./ledger.ts";
import { createMemory } from "./memory.ts";
import type { ScriptText, SettlementText } from "./protocol.ts";

/** How many jobs run between two looks at the clock. */
const JOBS_AT_ONCE = 64;

/** The script in a box. */
export type Running = GuestHost & { readonly meter: CpuMeter; readonly cpuMs: number };

/** A box for one script: an interpreter that nothing else has used. */
export type Box = Interpreter & {
  readonly guest: Guest;
  readonly clock: GuestClock;
  running: Running | null;
  /** The promise of the script, once it has begun. */
  promise: QuickJSHandle | null;
};

/** The script is over without having finished. */
export class ScriptEnded extends Error {
  override readonly name = "ScriptEnded";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Makes a box ready for a script. */
export async function createBox(clock: GuestClock): Promise<Box> {
  const current: { box: Box | null } = { box: null };
  const interpreter = await createInterpreter(() => {
    const running = current.box?.running ?? null;
    running?.board.beat();
    return running?.meter.exceeded() ?? false;
  });
  const guest = installGuest(interpreter.context, () => runningOf(current.box));
  const box = { ...interpreter, guest, clock, running: null, promise: null };
  current.box = box;
  return box;
}

/** The script of a box. Throws when it has none. */
export function runningOf(box: Box | null): Running {
  if (box === null || box.running === null) throw new Error("the box has no script");
  return box.running;
}

/** Starts the script and runs it until nothing moves without a settlement. Throws `ScriptEnded`. */
export function startScript(box: Box, script: ScriptText): void {
  const { context, guest } = box;
  box.clock.reset(script.startedAt);
  box.running = {
    board: boardWriter(script.board),
    meter: createCpuMeter(script.cpuMs),
    cpuMs: script.cpuMs,
    ledger: createLedger(),
    memory: createMemory(script.memory),
  };
  box.running.meter.resume();
  call(
    box,
    guest.begin,
    script.seed.map((word) => context.newNumber(word)),
  );
  // On one line with the first line of the script, so that line numbers are the script's own.
  const source = `(async function () {${script.source.toWellFormed()}\n})`;
  const body = take(box, context.evalCode(source, SCRIPT_FILE, { type: "global" }), true);
  box.promise = call(box, body, []);
  pump(box);
}

/** Settles one call and runs until nothing moves. Throws `ScriptEnded`. */
export function settleCall(box: Box, { ordinal, at, ok, json }: SettlementText): void {
  const { context, guest } = box;
  box.clock.advance(at);
  const args = [context.newNumber(ordinal), ok ? context.true : context.false, context.newString(json)];
  check(box);
  call(box, guest.settle, args);
  for (const handle of args) handle.dispose();
  pump(box);
}

/** Where the script stands: what it returned as JSON text (null for undefined), or nothing yet. Throws `ScriptEnded`. */
export function outcome(box: Box): { readonly finished: boolean; readonly json: string | null } {
  const { context, guest, promise } = box;
  if (promise === null) throw new Error("the box has no script");
  const state = context.getPromiseState(promise);
  if (state.type === "pending") return { finished: false, json: null };
  if (state.type === "rejected") throw new ScriptEnded(explain(box, state.error, false));
  return { finished: true, json: read(box, call(box, guest.finish, [state.value])) };
}

function pump(box: Box): void {
  while (box.runtime.hasPendingJob()) {
    const result = box.runtime.executePendingJobs(JOBS_AT_ONCE);
    runningOf(box).board.beat();
    check(box);
    if (result.error) throw new ScriptEnded(explain(box, result.error, false));
  }
}

type Result = ReturnType<Box["context"]["callFunction"]>;

function call(box: Box, target: QuickJSHandle, args: QuickJSHandle[]): QuickJSHandle {
  return take(box, box.context.callFunction(target, box.context.undefined, args), false);
}

function take(box: Box, result: Result, compiling: boolean): QuickJSHandle {
  check(box);
  if (result.error) throw new ScriptEnded(explain(box, result.error, compiling));
  return result.value;
}

/** A used up limit ends the script, whatever the script made of it. */
function check(box: Box): void {
  const { meter, cpuMs } = runningOf(box);
  if (meter.exceeded()) throw new ScriptEnded(cpuLimit(cpuMs));
  if (box.exhausted()) throw new ScriptEnded(memoryLimit());
}

function read(box: Box, value: QuickJSHandle): string | null {
  const text = textOf(box.context, value);
  check(box);
  return text;
}

function explain(box: Box, thrown: QuickJSHandle, compiling: boolean): Failure {
  const described = box.context.callFunction(box.guest.describe, box.context.undefined, [thrown]);
  check(box);
  if (described.error) return trapped(null);
  return thrownFailure(readThrown(read(box, described.value) ?? ""), compiling);
}
