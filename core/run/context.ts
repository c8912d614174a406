import { AgentConfig } from "../../contract/schemas/agents.ts";
import type { Upload } from "../ports/blobs.ts";
import { timestamp } from "../ports/clock.ts";
import type { ModelUsage } from "../ports/model.ts";
import type { SessionConfig } from "../session/config.ts";
import type { Decision, Refusal } from "../session/decision.ts";
import { effects } from "../session/effects.ts";
import { handle } from "../session/handle.ts";
import type { ActiveRun, SessionState, Usage } from "../session/state.ts";
import { addUsage, noUsage } from "../session/usage.ts";
import { absorb, type Conversation, catchUp, loadConversation } from "./conversation.ts";
import { performSoon } from "./perform.ts";
import type { EnginePorts, Outcome, Task } from "./ports.ts";

/** One `Advance` at work on a run. */
export type Context = {
  readonly ports: EnginePorts;
  readonly task: Task;
  readonly config: SessionConfig;
  readonly agent: AgentConfig;
  readonly conversation: Conversation;
  /** Aborted when the function must stop at once. */
  readonly signal: AbortSignal;
  /** The session as last read or written, and its version then. */
  state: SessionState;
  version: number;
  /** Tokens that the model has used and no commit has counted yet. */
  spent: Usage;
};

export const done: Outcome = { next: "done" };

/** The run, where it is still this execution's to carry, or to stop; null when it is not. */
export function ownRun(state: SessionState, task: Task): ActiveRun | null {
  const run = state.run;
  if (run === null || run.id !== task.runId || run.leg !== task.leg) return null;
  return run.status === "interrupted" ? null : run;
}

/** The run, where nothing holds it: neither a stop nor a pause. */
export function freeRun(state: SessionState, task: Task): ActiveRun | null {
  const run = ownRun(state, task);
  return run === null || run.status === "stopping" || state.status !== "active" ? null : run;
}

/** Opens the run: state, configuration and conversation; null when there is nothing to carry. */
export async function open(ports: EnginePorts, task: Task, signal: AbortSignal): Promise<Context | null> {
  const [loaded, config] = await Promise.all([
    ports.store.load(task.sessionId),
    ports.store.config(task.sessionId),
  ]);
  if (loaded === null || config === null || ownRun(loaded.state, task) === null) return null;
  const [agent, conversation] = await Promise.all([
    ports.blobs.fetch(config.agentConfig),
    loadConversation(ports, loaded.state),
  ]);
  const { state, version } = loaded;
  return {
    ports,
    task,
    config,
    agent: AgentConfig.parse(agent),
    conversation,
    signal,
    state,
    version,
    spent: noUsage,
  };
}

/** Counts what a request used towards the next commit. */
export function spend(context: Context, { inputTokens, outputTokens, cachedInputTokens }: ModelUsage): void {
  const more = { input: inputTokens, output: outputTokens, cached: cachedInputTokens };
  context.spent = addUsage(context.spent, more);
}

/** Reads the session again, after work on it was given up. */
export async function refresh(context: Context): Promise<void> {
  const { sessionId, runId } = context.task;
  const loaded = await context.ports.store.load(sessionId);
  if (loaded === null) throw new Error(`session ${sessionId} is gone with run ${runId}`);
  context.state = loaded.state;
  context.version = loaded.version;
}

/**
 * Commits a decision for the run and takes up what it led to. False when there is no going on with the run:
 * it ended or was lost, or a stop or a pause holds it. The context then has the state that says so.
 */
export async function commit(
  context: Context,
  decide: (state: SessionState, at: string) => Decision | Refusal,
  uploads: readonly Upload[] = [],
): Promise<boolean> {
  const { ports, task } = context;
  const handled = await handle(
    ports,
    task.sessionId,
    ({ state }) => decide(state, timestamp(ports.clock)),
    uploads,
    { state: context.state, version: context.version },
  );
  if (handled.outcome === "missing")
    throw new Error(`session ${task.sessionId} is gone with run ${task.runId}`);
  if (handled.outcome === "refused") {
    context.state = handled.loaded.state;
    context.version = handled.loaded.version;
    return false;
  }
  const { decision, version } = handled;
  if (decision.events.some((event) => "usage" in event)) context.spent = noUsage;
  context.state = decision.state;
  context.version = version;
  await takeUp(context, handled.outcome === "committed" ? decision : null);
  if (handled.outcome === "committed") await performSoon(ports, effects(decision.state));
  return freeRun(decision.state, task) !== null;
}

/** Brings the conversation to the context's version: from the commit just made, or from the log where others made some. */
async function takeUp({ ports, task, conversation, state, version }: Context, own: Decision | null) {
  if (version === conversation.reach.version) return;
  if (own === null || version !== conversation.reach.version + 1)
    return catchUp(ports, task.sessionId, conversation);
  await absorb(ports, task.sessionId, conversation, own.events);
  conversation.reach = { sequence: state.sequence, version };
}
