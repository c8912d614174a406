/**
 * The thread in which scripts run, one at a time, each in a box of its own. Bundle this file as
 * `script-worker.mjs` beside the function that uses it. It imports nothing but QuickJS and its neighbours.
 */
import { parentPort } from "node:worker_threads";
import { type Box, createBox, outcome, runningOf, ScriptEnded, settleCall, startScript } from "./box.ts";
import { installGuestClock } from "./clock.ts";
import { cpuLimit, type Failure, memoryLimit, stalled, trapped } from "./failure.ts";
import { parseText } from "./guest.ts";
import type { FromWorker, Reply, ScriptText, SettlementText, ToWorker } from "./protocol.ts";

const clock = installGuestClock();
let box: Box | null = null;

parentPort?.on("message", (message: ToWorker) => {
  if (message.type === "reset") void prepare();
  else say(step(message.script, message.settlements));
});
await prepare();

/** The old box is garbage from here on: whatever the script left in it goes with it. */
async function prepare(): Promise<void> {
  box = null;
  box = await createBox(clock);
  say({ type: "ready" });
}

function say(message: FromWorker): void {
  parentPort?.postMessage(message);
}

function step(script: ScriptText | null, settlements: readonly SettlementText[]): Reply {
  if (box === null) throw new Error("the worker is not ready");
  try {
    return run(box, script, settlements);
  } catch (cause) {
    const failure = cause instanceof ScriptEnded ? cause.failure : broken(box, cause);
    // How far a script came that was interrupted is chance: what it had not waited for is not asked for.
    return { type: "failed", ...failure, calls: failure.broken ? [] : runningOf(box).ledger.news() };
  } finally {
    box.running?.meter.pause();
  }
}

function run(at: Box, script: ScriptText | null, settlements: readonly SettlementText[]): Reply {
  if (script === null) runningOf(at).meter.resume();
  else startScript(at, script);
  const { board, ledger, memory, meter } = runningOf(at);
  let state = outcome(at);
  for (const settlement of settlements) {
    // What settles after the end concerns a call that the script did not wait for.
    if (state.finished || ledger.waiting() === 0) break;
    if (!ledger.settle(settlement.ordinal)) {
      return { type: "refused", message: `no call ${settlement.ordinal} waits for a settlement` };
    }
    settleCall(at, settlement);
    state = outcome(at);
  }
  if (state.finished) {
    if (state.json !== null) board.line(parseText(state.json));
    return { type: "finished", memory: memory.entries(), calls: ledger.news() };
  }
  if (ledger.waiting() === 0) return { type: "failed", ...stalled(), calls: ledger.news() };
  return { type: "blocked", calls: ledger.news(), usedMs: meter.usedMs() };
}

/** WebAssembly trapped. The limit that was reached, if one was, is the better explanation. */
function broken(at: Box, cause: unknown): Failure {
  if (at.running?.meter.exceeded()) return cpuLimit(at.running.cpuMs);
  return at.exhausted() ? memoryLimit() : trapped(cause);
}
