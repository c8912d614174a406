import type { Json } from "../../contract/json.ts";
import { ModelFailure, type ModelListener, type ModelReply, type ModelRequest } from "../ports/model.ts";
import { applyInputs, recordAnswer, recordRetry } from "../session/decide/engine.ts";
import { failRun } from "../session/decide/runs.ts";
import { messageId } from "../session/ids.ts";
import type { ActiveRun, RunError } from "../session/state.ts";
import { scriptTool } from "../tools/script-tool.ts";
import { type Context, commit, done, freeRun } from "./context.ts";
import { unlessStopped } from "./controls.ts";
import { checkpoint } from "./conversation.ts";
import type { Outcome } from "./ports.ts";
import { startPreview } from "./preview.ts";
import { toTranscript } from "./transcript.ts";
import { wait } from "./wait.ts";

/** Retries after a passing failure: three, after 2, 4 and 8 s (get_sessions_session_id_runs_run_id, "Failures"). */
const RETRIES = 3;
const FIRST_RETRY_MS = 2_000;
/** A longer wait leaves the function, so that waiting burns no compute. */
const LONGEST_WAIT_HERE_MS = 10_000;
const MOST_ANSWER_CHARACTERS = 8 * 1024 * 1024;
/** A provider that asks for a longer wait than this has failed. */
const LONGEST_WAIT_MS = 15 * 60_000;

/**
 * One model request at the input boundary: applies what is bound, asks, and saves the answer. Returns how to
 * leave, or null to go on.
 */
export async function askModel(context: Context): Promise<Outcome | null> {
  const { runId } = context.task;
  let run = freeRun(context.state, context.task);
  if (run === null) return done;
  const early = await untilRetry(context, run);
  if (early !== null) return early;
  if (!run.begun || run.steering.length > 0) {
    if (!(await commit(context, (state, at) => applyInputs(state, runId, at)))) return done;
    run = freeRun(context.state, context.task);
    if (run === null) return done;
  }
  const apiKey = await context.ports.modelKeys.secret(
    context.state.projectId,
    context.agent.model_api_key_id,
  );
  if (apiKey === null) return fail(context, keyUnavailable);
  return generate(context, run, apiKey);
}

/** The run was woken before the model may be asked again: leaves once more, or sits out what is left. */
async function untilRetry(context: Context, run: ActiveRun): Promise<Outcome | null> {
  const notBefore = run.turn.at === "model" ? run.turn.notBefore : undefined;
  if (notBefore === undefined) return null;
  const { clock } = context.ports;
  const left = Date.parse(notBefore) - clock.now();
  if (left > LONGEST_WAIT_HERE_MS) return wait(context, context.state.sequence, notBefore);
  if (left > 0) await unlessStopped(context, (signal) => clock.sleep(left, signal));
  return null;
}

const keyUnavailable: RunError = {
  code: "model_api_key_unavailable",
  message:
    "The stored model API key that this session selects is gone. Select another in a new agent version.",
};

async function generate(context: Context, run: ActiveRun, apiKey: string): Promise<Outcome | null> {
  let failures = run.turn.at === "model" ? run.turn.failures : 0;
  for (;;) {
    try {
      return await attempt(context, run, apiKey, failures);
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
      const waitMs = error.retryable && failures < RETRIES ? waitFor(error, failures) : null;
      if (waitMs === null || waitMs > LONGEST_WAIT_MS) {
        return fail(context, { code: "model_error", message: error.message });
      }
      failures += 1;
      context.ports.log.warn("a model request is retried", { runId: run.id, failures, waitMs });
      if (waitMs > LONGEST_WAIT_HERE_MS) return leaveToRetry(context, failures, waitMs);
      await unlessStopped(context, (signal) => context.ports.clock.sleep(waitMs, signal));
    }
  }
}

const waitFor = (failure: ModelFailure, failures: number): number =>
  Math.max(failure.retryAfterMs ?? 0, FIRST_RETRY_MS * 2 ** failures);

async function leaveToRetry(context: Context, failures: number, waitMs: number): Promise<Outcome> {
  const { runId } = context.task;
  const notBefore = new Date(context.ports.clock.now() + waitMs).toISOString();
  const ours = await commit(context, (state, at) => recordRetry(state, runId, { failures, notBefore }, at));
  return ours ? wait(context, context.state.sequence, notBefore) : done;
}

async function attempt(
  context: Context,
  run: ActiveRun,
  apiKey: string,
  failures: number,
): Promise<Outcome | null> {
  const { ports, task } = context;
  const id = messageId(task.sessionId, run.id, run.answers, failures);
  const preview = await startPreview(ports, { sessionId: task.sessionId, runId: run.id, messageId: id });
  const bounded = boundAnswer(preview.listener);
  const reply = await unlessStopped(context, (signal) => {
    const limited = AbortSignal.any([signal, bounded.signal]);
    return ports.model.generate(request(context, run, apiKey), bounded.listener, limited);
  });
  return save(context, run, failures, reply, await preview.finish());
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

function request(context: Context, run: ActiveRun, apiKey: string): ModelRequest {
  return {
    model: context.agent.model,
    apiKey,
    instructions: context.agent.instructions,
    tool: scriptTool(context.agent.tools),
    transcript: toTranscript(context.conversation.entries),
    effort: run.effort ?? "off",
    cacheKey: context.task.sessionId,
  };
}

async function save(
  context: Context,
  run: ActiveRun,
  attempt: number,
  reply: ModelReply,
  lastDeltaIndex: number,
): Promise<Outcome | null> {
  const { blobs } = context.ports;
  const sessionId = context.task.sessionId;
  const answer = blobs.stow(sessionId, { native: reply.native, scripts: reply.scripts as unknown as Json });
  const blocks = reply.text.map((text) => ({ type: "text", text }));
  const content = blocks.length === 0 ? null : blobs.stow(sessionId, blocks);
  const uploads = [answer.upload, content?.upload ?? null].filter((upload) => upload !== null);
  const moved = await checkpoint(blobs, context.state, context.conversation);
  const ours = await commit(
    context,
    (state, at) =>
      recordAnswer(state, {
        runId: run.id,
        before: run.answers,
        attempt,
        content: content?.payload ?? null,
        lastDeltaIndex,
        answer: answer.payload,
        scripts: reply.scripts.length,
        checkpoint: moved,
        at,
      }),
    uploads,
  );
  return ours ? null : done;
}

/** Fails the run with the error; there is nothing left to carry. */
export async function fail(context: Context, error: RunError): Promise<Outcome> {
  await commit(context, (state, at) => failRun(state, context.task.runId, error, at));
  return done;
}
