import type { Json, JsonObject } from "../../contract/json.ts";
import { AnyObject } from "../../contract/schemas/common.ts";
import type { RunningScript, ScriptCall, ScriptProgress, Settlement } from "../ports/script.ts";
import { requestCalls, roomForCalls } from "../session/decide/calls.ts";
import { placeOf } from "../session/decide/current.ts";
import { endScript } from "../session/decide/engine.ts";
import type { ActiveRun, Turn } from "../session/state.ts";
import { argumentProblem, findFunction } from "../tools/functions.ts";
import { type Context, commit, done } from "./context.ts";
import { unlessStopped } from "./controls.ts";
import { type Journal, readJournal } from "./journal.ts";
import { fail } from "./model-request.ts";
import type { Outcome } from "./ports.ts";
import { lastScripts } from "./transcript.ts";
import { wait } from "./wait.ts";

type ScriptTurn = Extract<Turn, { at: "script" }>;

/**
 * Runs the script at which the run stands, from its beginning: what it did before is in the log and is
 * replayed, never done again. Returns how to leave, or null when the script ended.
 */
export async function runScript(context: Context, run: ActiveRun, turn: ScriptTurn): Promise<Outcome | null> {
  const request = lastScripts(context.conversation.entries)[turn.index];
  if (request === undefined) throw new Error(`run ${run.id} has no script ${turn.index}`);
  if (request.source === null) {
    return end(context, run, request.id, { output: request.problem, failed: true, memory: null });
  }
  const { ports, task } = context;
  const journal = await readJournal(ports, { ...task, since: turn.since });
  const memory = await loadMemory(context);
  const source = {
    source: request.source,
    seed: `${run.id}/${run.answers}/${turn.index}`,
    startedAt: Date.parse(turn.startedAt),
    memory,
    cpuMs: ports.settings.scriptCpuMs,
  };
  const { progress, calls } = await unlessStopped(context, async (signal) => {
    const script = await ports.scripts.start(source, signal);
    try {
      return await replay(context, script, journal);
    } finally {
      await script.close();
    }
  });
  if (progress.status === "blocked") return block(context, run, journal, calls);
  return end(context, run, request.id, result(progress, memory));
}

async function loadMemory(context: Context): Promise<JsonObject> {
  const { memory } = context.state;
  return memory === null ? {} : AnyObject.parse(await context.ports.blobs.fetch(memory));
}

/**
 * Settles the journal one call at a time. Calls that nobody grants settle by themselves, before anything
 * else does: so the order is the same whenever and however often the script is replayed.
 */
async function replay(
  context: Context,
  script: RunningScript,
  journal: Journal,
): Promise<{ progress: ScriptProgress; calls: readonly ScriptCall[] }> {
  const calls: ScriptCall[] = [];
  let at = 0;
  const step = async (settlements: readonly Settlement[]): Promise<ScriptProgress> => {
    let progress = await script.step(settlements);
    while (progress.status === "blocked") {
      const refused = progress.calls.filter((call) => findFunction(context.agent.tools, call.tool) === null);
      calls.push(...progress.calls.filter((call) => !refused.includes(call)));
      if (refused.length === 0) break;
      progress = await script.step(refused.map((call) => notGranted(call, at)));
    }
    return progress;
  };
  let progress = await step([]);
  for (const settlement of journal.settlements) {
    if (progress.status !== "blocked") break;
    at = settlement.at;
    progress = await step([settlement]);
  }
  return { progress, calls: calls.filter((call) => !journal.dispatched.has(call.ordinal)) };
}

function notGranted(call: ScriptCall, at: number): Settlement {
  const message = `There is no tool ${call.tool.slice(0, 100)} in this session. Use one that the tool description lists.`;
  return { ordinal: call.ordinal, at, ok: false, error: { code: "tool_not_granted", message } };
}

/** The script waits for its application: new calls are requested as one batch, then nothing is left to do here. */
async function block(
  context: Context,
  run: ActiveRun,
  journal: Journal,
  calls: readonly ScriptCall[],
): Promise<Outcome | null> {
  if (calls.length === 0) return wait(context, journal.seen);
  const problem = batchProblem(context, calls);
  if (problem !== null) return fail(context, run, { code: "invalid_tool_arguments", message: problem });
  // What does not fit now is requested when others have settled: the script makes the same calls again.
  const batch = calls.slice(0, Math.max(0, roomForCalls(context.state)));
  if (batch.length === 0) return wait(context, journal.seen);
  const { ports, task } = context;
  const stowed = batch.map((call) => ({
    call,
    ...ports.blobs.stow(task.sessionId, call.arguments),
  }));
  let before = journal.seen;
  const ours = await commit(
    context,
    (state, at) => {
      before = state.sequence;
      return requestCalls(state, {
        place: placeOf(run),
        calls: stowed.map(({ call, payload }) => ({
          tool: call.tool,
          ordinal: call.ordinal,
          arguments: payload,
        })),
        at,
        answerMs: ports.settings.toolResultSeconds * 1_000,
      });
    },
    stowed.flatMap(({ upload }) => (upload === null ? [] : [upload])),
  );
  if (!ours) return done;
  // A result that came in after the journal was read is not seen yet: then the wait is released at once.
  return wait(context, before === journal.seen ? context.state.sequence : journal.seen);
}

/** The whole batch is checked before anything is requested (post_agents, "Functions executed by your application"). */
function batchProblem(context: Context, calls: readonly ScriptCall[]): string | null {
  for (const call of calls) {
    const tool = findFunction(context.agent.tools, call.tool);
    const problem = tool === null ? `${call.tool} is not granted` : argumentProblem(tool, call.arguments);
    if (problem !== null) return problem;
  }
  return null;
}

type Ended = {
  readonly output: string;
  readonly failed: boolean;
  /** Where the script changed it. */
  readonly memory: Readonly<Record<string, Json>> | null;
};

function result(
  progress: Exclude<ScriptProgress, { status: "blocked" }>,
  before: Readonly<Record<string, Json>>,
): Ended {
  if (progress.status === "failed") {
    const output = [progress.output, `${progress.code}: ${progress.message}`]
      .filter((part) => part !== "")
      .join("\n");
    return { output, failed: true, memory: null };
  }
  const unchanged = JSON.stringify(progress.memory) === JSON.stringify(before);
  return { output: progress.output, failed: false, memory: unchanged ? null : progress.memory };
}

async function end(
  context: Context,
  run: ActiveRun,
  scriptId: string,
  ended: Ended,
): Promise<Outcome | null> {
  const { ports, task } = context;
  const output = ports.blobs.stow(task.sessionId, ended.output);
  const memory = ended.memory === null ? null : ports.blobs.stow(task.sessionId, ended.memory, 1_024);
  const ours = await commit(
    context,
    (state, at) =>
      endScript(state, {
        place: placeOf(run),
        scriptId,
        output: output.payload,
        failed: ended.failed,
        memory: memory?.payload ?? null,
        at,
      }),
    [output.upload, memory?.upload ?? null].filter((upload) => upload !== null),
  );
  return ours ? null : done;
}
