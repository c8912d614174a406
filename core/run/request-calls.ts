import type { ScriptCall } from "../ports/script.ts";
import { requestCalls, roomForCalls } from "../session/decide/calls.ts";
import { placeOf } from "../session/decide/current.ts";
import type { ActiveRun } from "../session/state.ts";
import { argumentProblem, findFunction } from "../tools/functions.ts";
import { type Context, commit, done } from "./context.ts";
import type { Outcome } from "./ports.ts";
import { fail } from "./repair.ts";
import { wait } from "./wait.ts";

/** The calls that the run has room for. What does not fit is requested when others have settled. */
export const fitting = (context: Context, calls: readonly ScriptCall[]): readonly ScriptCall[] =>
  calls.slice(0, Math.max(0, roomForCalls(context.state)));

/**
 * Requests a script's new calls as one batch, as far as they fit, and waits for what comes after `seen`, the last
 * sequence that the script has seen. Leaves otherwise only where the run failed or goes on elsewhere.
 */
export async function request(
  context: Context,
  run: ActiveRun,
  seen: number,
  calls: readonly ScriptCall[],
): Promise<Outcome> {
  if (calls.length === 0) return wait(context, seen);
  const problem = await batchProblem(context, calls);
  if (problem !== null) return fail(context, run, { code: "invalid_tool_arguments", message: problem });
  // The script makes the same calls again: those that do not fit are not lost.
  const batch = fitting(context, calls);
  if (batch.length === 0) return wait(context, seen);
  const { ports, task } = context;
  const stowed = batch.map((call) => ({
    call,
    ...ports.blobs.stow(task.sessionId, call.arguments),
  }));
  let before = seen;
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
  return wait(context, before === seen ? context.state.sequence : seen);
}

/** The whole batch is checked before anything is requested (post_agents, "Functions executed by your application"). */
async function batchProblem({ agent, ports }: Context, calls: readonly ScriptCall[]): Promise<string | null> {
  const granted = calls.flatMap(({ tool: name, arguments: args }) => {
    const tool = findFunction(agent.tools, name);
    return tool === null ? [] : [{ tool, arguments: args }];
  });
  return argumentProblem(ports.schemas, granted);
}
