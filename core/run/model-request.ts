import type { Effort } from "../../contract/models.ts";
import {
  ModelFailure,
  type ModelListener,
  type ModelReply,
  type ModelRequest,
  type TranscriptEntry,
} from "../ports/model.ts";
import { placeOf } from "../session/decide/current.ts";
import { recordRetry } from "../session/decide/engine.ts";
import type { ActiveRun } from "../session/state.ts";
import { scriptTool } from "../tools/script-tool.ts";
import type { Room } from "./compaction.ts";
import { type Context, commit, done, spend } from "./context.ts";
import { unlessStopped } from "./controls.ts";
import type { Outcome } from "./ports.ts";
import { fail } from "./repair.ts";
import { inputWindow, textTokens } from "./size.ts";
import { wait } from "./wait.ts";

/** Retries after a passing failure: three, after 2, 4 and 8 s (get_sessions_session_id_runs_run_id, "Failures"). */
export const RETRIES = 3;
const FIRST_RETRY_MS = 2_000;
/** A longer wait leaves the function, so that waiting burns no compute. */
export const LONGEST_WAIT_HERE_MS = 10_000;
/** A provider that asks for a longer wait than this has failed. */
const LONGEST_WAIT_MS = 15 * 60_000;
const MOST_ANSWER_CHARACTERS = 8 * 1024 * 1024;

/**
 * Does what asks the model, again after its passing failures; `failures` counts them in a row. Any other failure
 * of the model fails the run. Returns how to leave, or null to go on.
 */
export async function retried(
  context: Context,
  run: ActiveRun,
  ask: (failures: number) => Promise<Outcome | null>,
): Promise<Outcome | null> {
  let failures = run.turn.at === "model" ? run.turn.failures : 0;
  for (;;) {
    try {
      return await ask(failures);
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
      const waitMs = error.retryable && failures < RETRIES ? waitFor(error, failures) : null;
      if (waitMs === null || waitMs > LONGEST_WAIT_MS) {
        return fail(context, run, { code: "model_error", message: told(context, error) }, error);
      }
      failures += 1;
      context.ports.log.warn("a model request is retried", { runId: run.id, failures, waitMs });
      if (waitMs > LONGEST_WAIT_HERE_MS) return leaveToRetry(context, run, failures, waitMs);
      await unlessStopped(context, (signal) => context.ports.clock.sleep(waitMs, signal));
    }
  }
}

/** What the run's error says of a failure. */
function told({ agent }: Context, { objection, message }: ModelFailure): string {
  if (objection?.to !== "length") return message;
  return `The conversation does not fit ${agent.model}, even compacted. Send less at once, let tools return less, or start a new session. (${message})`;
}

const waitFor = (failure: ModelFailure, failures: number): number =>
  Math.max(failure.retryAfterMs ?? 0, FIRST_RETRY_MS * 2 ** failures);

async function leaveToRetry(
  context: Context,
  run: ActiveRun,
  failures: number,
  waitMs: number,
): Promise<Outcome> {
  const place = placeOf(run);
  const notBefore = new Date(context.ports.clock.now() + waitMs).toISOString();
  const ours = await commit(context, (state, at) => recordRetry(state, place, { failures, notBefore }, at));
  return ours ? wait(context, context.state.sequence, notBefore) : done;
}

/** What is asked of the model of this session. */
export type Question = {
  readonly apiKey: string;
  readonly effort: Effort;
  readonly transcript: readonly TranscriptEntry[];
};

/** One request to the session's model; a stop aborts it. Throws `ModelFailure` or `Stopped`. */
export async function generate(
  context: Context,
  question: Question,
  listener: ModelListener,
): Promise<ModelReply> {
  const bounded = boundAnswer(listener);
  const request: ModelRequest = {
    ...question,
    ...constantPart(context),
    model: context.agent.model,
    cacheKey: context.task.sessionId,
  };
  const reply = await unlessStopped(context, (signal) =>
    context.ports.model.generate(request, bounded.listener, AbortSignal.any([signal, bounded.signal])),
  );
  spend(context, reply.usage);
  return reply;
}

/** What every request of a session begins with. */
export const constantPart = ({ agent }: Context): Pick<ModelRequest, "instructions" | "tool"> => ({
  instructions: agent.instructions,
  tool: scriptTool(agent.tools),
});

/** What room a session's conversation has in its model. */
export function roomOf(context: Context): Room {
  const { instructions, tool } = constantPart(context);
  const overhead = textTokens(instructions) + textTokens(JSON.stringify(tool));
  return { window: inputWindow(context.agent.model), overhead };
}

/** Ends a request whose answer grows without end: no registered model writes nearly as much. */
function boundAnswer(listener: ModelListener): { listener: ModelListener; signal: AbortSignal } {
  const exceeded = new AbortController();
  let characters = 0;
  return {
    signal: exceeded.signal,
    listener: {
      onText: (text, contentIndex) => {
        characters += text.length;
        if (characters <= MOST_ANSWER_CHARACTERS) return listener.onText(text, contentIndex);
        const message = `the answer is longer than ${MOST_ANSWER_CHARACTERS} characters`;
        exceeded.abort(new ModelFailure(message, { retryable: false }));
      },
    },
  };
}
