import type { Json } from "../../contract/json.ts";
import { ModelFailure, type ModelReply } from "../ports/model.ts";
import { placeOf } from "../session/decide/current.ts";
import { applyInputs, recordAnswer } from "../session/decide/engine.ts";
import { messageId } from "../session/ids.ts";
import type { ActiveRun, RunError } from "../session/state.ts";
import { compact, compactionsOf, compactRefused, planCompaction } from "./compact.ts";
import { type Context, commit, done, freeRun } from "./context.ts";
import { unlessStopped } from "./controls.ts";
import { checkpoint } from "./conversation.ts";
import { generate, LONGEST_WAIT_HERE_MS, RETRIES, retried } from "./model-request.ts";
import type { Outcome } from "./ports.ts";
import { startPreview } from "./preview.ts";
import { fail, repair, repairsOf } from "./repair.ts";
import { toTranscript } from "./transcript.ts";
import { wait } from "./wait.ts";

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
  if (apiKey === null) return fail(context, run, keyUnavailable);
  return ask(context, run, apiKey);
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

/** Asks, after making room where the conversation needs it; mends what the provider objects to. */
function ask(context: Context, run: ActiveRun, apiKey: string): Promise<Outcome | null> {
  return retried(context, run, async (failures) => {
    const full = planCompaction(context, run);
    // A preview that broke off and the next are different messages, whatever came between them.
    const nth = (compactionsOf(run) + repairsOf(run)) * (RETRIES + 1) + failures;
    return mended(context, run, () =>
      full === null ? attemptInRoom(context, run, apiKey, nth) : compact(context, run, apiKey, full),
    );
  });
}

async function mended(context: Context, run: ActiveRun, work: () => Promise<Outcome | null>) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ModelFailure) return repair(context, run, error);
    throw error;
  }
}

async function attemptInRoom(context: Context, run: ActiveRun, apiKey: string, nth: number) {
  try {
    return await attempt(context, run, apiKey, nth);
  } catch (error) {
    if (!(error instanceof ModelFailure && error.objection?.to === "length")) throw error;
    return compactRefused(context, run, apiKey, error);
  }
}

async function attempt(
  context: Context,
  run: ActiveRun,
  apiKey: string,
  nth: number,
): Promise<Outcome | null> {
  const { ports, task } = context;
  const id = messageId(task.sessionId, run.id, run.answers, nth);
  const preview = await startPreview(ports, { sessionId: task.sessionId, runId: run.id, messageId: id });
  const transcript = toTranscript(context.conversation.entries);
  const question = { apiKey, transcript, effort: run.effort ?? "off" } as const;
  const reply = await generate(context, question, preview.listener);
  return save(context, run, nth, reply, await preview.finish());
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
  const tokens = reply.usage.inputTokens + reply.usage.outputTokens;
  const answer = blobs.stow(sessionId, {
    native: reply.native,
    scripts: reply.scripts as unknown as Json,
    ...(tokens > 0 ? { tokens } : {}),
    ...(reply.cut ? { cut: true } : {}),
  });
  const blocks = reply.text.map((text) => ({ type: "text", text }));
  const content = blocks.length === 0 ? null : blobs.stow(sessionId, blocks);
  const uploads = [answer.upload, content?.upload ?? null].filter((upload) => upload !== null);
  const usage = context.spent;
  const moved = await checkpoint(blobs, sessionId, context.conversation);
  const ours = await commit(
    context,
    (state, at) =>
      recordAnswer(state, {
        place: placeOf(run),
        attempt,
        content: content?.payload ?? null,
        lastDeltaIndex,
        answer: answer.payload,
        scripts: reply.scripts.length,
        cut: reply.cut,
        usage,
        checkpoint: moved,
        at,
      }),
    uploads,
  );
  return ours ? null : done;
}
