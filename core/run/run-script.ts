import type { Json, JsonObject } from "../../contract/json.ts";
import { AnyObject } from "../../contract/schemas/common.ts";
import type { RunningScript, ScriptCall, ScriptProgress, Settlement } from "../ports/script.ts";
import { placeOf } from "../session/decide/current.ts";
import { endScript } from "../session/decide/engine.ts";
import type { ActiveRun, Turn } from "../session/state.ts";
import { findFunction } from "../tools/functions.ts";
import { type Context, commit, done, freeRun } from "./context.ts";
import { unlessStopped } from "./controls.ts";
import { type Journal, readJournal } from "./journal.ts";
import type { Outcome } from "./ports.ts";
import { fitting, request } from "./request-calls.ts";
import { lastScripts } from "./transcript.ts";

type ScriptTurn = Extract<Turn, { at: "script" }>;

/** How many refusals of tools that a script did not await are told of. */
const TOLD_AT_MOST = 10;

/**
 * Runs the script at which the run stands, from its beginning: what it did before is in the log and is
 * replayed, never done again. Returns how to leave, or null when the script ended.
 */
export async function runScript(context: Context, run: ActiveRun, turn: ScriptTurn): Promise<Outcome | null> {
  const script = lastScripts(context.conversation.entries)[turn.index];
  if (script === undefined) throw new Error(`run ${run.id} has no script ${turn.index}`);
  if (script.source === null) {
    return end(context, run, script.id, { output: script.problem, failed: true, memory: null });
  }
  const { ports, task } = context;
  const journal = await readJournal(ports, { ...task, since: turn.since });
  const memory = await loadMemory(context);
  const source = {
    source: script.source,
    seed: `${run.id}/${run.answers}/${turn.index}`,
    startedAt: Date.parse(turn.startedAt),
    memory,
    cpuMs: ports.settings.scriptCpuMs,
  };
  const replayed = await unlessStopped(context, async (signal) => {
    const running = await ports.scripts.start(source, signal);
    try {
      return await replay(context, running, journal);
    } finally {
      await running.close();
    }
  });
  const { progress, calls, unheard } = replayed;
  if (progress.status === "blocked") return request(context, run, journal.seen, calls);
  return finish(context, run, script.id, result(progress, unheard, memory), { journal, calls });
}

async function loadMemory(context: Context): Promise<JsonObject> {
  const { memory } = context.state;
  return memory === null ? {} : AnyObject.parse(await context.ports.blobs.fetch(memory));
}

type Replayed = {
  readonly progress: ScriptProgress;
  /** Calls that are yet to be requested. */
  readonly calls: readonly ScriptCall[];
  /** Refusals that came when the script was over. */
  readonly unheard: readonly Refused[];
};

/**
 * Settles the journal one call at a time. Calls that nobody grants settle by themselves, before anything
 * else does: so the order is the same whenever and however often the script is replayed.
 */
async function replay(context: Context, script: RunningScript, journal: Journal): Promise<Replayed> {
  const calls: ScriptCall[] = [];
  let unheard: readonly Refused[] = [];
  let at = 0;
  const step = async (settlements: readonly Settlement[]): Promise<ScriptProgress> => {
    for (let settling: readonly Settlement[] = settlements; ; ) {
      const progress = await script.step(settling);
      const refused = progress.calls.filter((call) => findFunction(context.agent.tools, call.tool) === null);
      calls.push(...progress.calls.filter((call) => !refused.includes(call)));
      unheard = refused.map((call) => notGranted(call, at));
      if (progress.status !== "blocked" || unheard.length === 0) return progress;
      settling = unheard;
    }
  };
  let progress = await step([]);
  for (const settlement of journal.settlements) {
    if (progress.status !== "blocked") break;
    at = settlement.at;
    progress = await step([settlement]);
  }
  return { progress, calls: calls.filter((call) => !journal.dispatched.has(call.ordinal)), unheard };
}

type Refused = Extract<Settlement, { ok: false }>;

function notGranted(call: ScriptCall, at: number): Refused {
  const message = `There is no tool ${call.tool.slice(0, 100)} in this session. Use one that the tool description lists.`;
  return { ordinal: call.ordinal, at, ok: false, error: { code: "tool_not_granted", message } };
}

/**
 * Leaves what the script did in the log. Calls that nobody awaits are requested before the script ends, in a commit of
 * their own: whoever is killed in between finds them requested, and the script at its end again.
 */
async function finish(
  context: Context,
  run: ActiveRun,
  scriptId: string,
  ended: Ended,
  { journal, calls }: Pick<Replayed, "calls"> & { readonly journal: Journal },
): Promise<Outcome | null> {
  if (calls.length === 0) return end(context, run, scriptId, ended);
  const all = fitting(context, calls).length === calls.length;
  const outcome = await request(context, run, journal.seen, calls);
  const now = freeRun(context.state, context.task);
  if (outcome.next !== "wait" || !all || now === null) return outcome;
  return end(context, now, scriptId, ended);
}

type Ended = {
  readonly output: string;
  readonly failed: boolean;
  /** Where the script changed it. */
  readonly memory: Readonly<Record<string, Json>> | null;
};

function result(
  progress: Exclude<ScriptProgress, { status: "blocked" }>,
  unheard: readonly Refused[],
  before: Readonly<Record<string, Json>>,
): Ended {
  const failed = progress.status === "failed";
  const errors = [...unheardErrors(unheard), ...(failed ? [progress] : [])];
  const output = [progress.output, ...errors.map(({ code, message }) => `${code}: ${message}`)]
    .filter((part) => part !== "")
    .join("\n");
  if (failed) return { output, failed, memory: null };
  const unchanged = JSON.stringify(progress.memory) === JSON.stringify(before);
  return { output, failed, memory: unchanged ? null : progress.memory };
}

/** Refusals that the script did not live to see: the model is told in its place, of a few where there are many. */
function unheardErrors(unheard: readonly Refused[]): readonly Refused["error"][] {
  const named = new Map(unheard.map(({ error }) => [error.message, error]));
  return [...named.values()].slice(0, TOLD_AT_MOST);
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
