import { AgentConfig } from "../../contract/schemas/agents.ts";
import type { Upload } from "../ports/blobs.ts";
import { timestamp } from "../ports/clock.ts";
import type { SessionConfig } from "../session/config.ts";
import type { Decision, Refusal } from "../session/decision.ts";
import { effects } from "../session/effects.ts";
import { handle } from "../session/handle.ts";
import type { ActiveRun, SessionState } from "../session/state.ts";
import { absorb, type Conversation, loadConversation } from "./conversation.ts";
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
};

export const done: Outcome = { next: "done" };

/** The run, where it is still this execution's to carry; null when it is not. */
export function ownRun(state: SessionState, task: Task): ActiveRun | null {
  const run = state.run;
  if (run === null || run.id !== task.runId || run.leg !== task.leg) return null;
  return run.status === "running" || run.status === "waiting_for_tools" ? run : null;
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
  return { ports, task, config, agent: AgentConfig.parse(agent), conversation, signal, state, version };
}

/**
 * Commits a decision for the run and takes up what it led to. False when the run is no longer this
 * execution's to carry: it was stopped, lost or ended, and `Advance` leaves.
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
  if (handled.outcome === "missing" || handled.outcome === "refused") return false;
  const { decision, version } = handled;
  context.state = decision.state;
  context.version = version;
  if (handled.outcome === "committed") {
    await absorb(ports, task.sessionId, context.conversation, decision.events);
    context.conversation.reach = { sequence: decision.state.sequence, version };
    const last = context.conversation.entries.length;
    if (decision.events.some((event) => event.type === "engine.checkpointed"))
      noteCheckpoint(context, last, decision);
    await performSoon(ports, effects(decision.state));
  }
  return ownRun(decision.state, task) !== null;
}

/** What this commit itself added to the conversation is behind the checkpoint that it carries. */
function noteCheckpoint(context: Context, entries: number, decision: Decision): void {
  const added = decision.events.filter(
    ({ type }) => type === "input.applied" || type === "engine.answered" || type === "engine.script_ended",
  ).length;
  context.conversation.checkpointed = entries - added;
}
