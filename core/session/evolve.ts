import type { EngineEvent, PublicSessionEvent, SessionEvent, Snapshot } from "./events.ts";
import { isPublic } from "./events.ts";
import type { ActiveRun, HeldInput, OpenCall, SessionState, Turn, Usage } from "./state.ts";
import { addUsage } from "./usage.ts";

/** Folds one event into the state. The first event of a session is `session.created`. */
export function evolve(state: SessionState | null, event: SessionEvent): SessionState {
  if (state === null) return created(event);
  if (!isPublic(event)) return evolveEngine(state, event);
  return { ...evolvePublic(state, event), sequence: event.sequence, updatedAt: event.at };
}

/** Folds a whole log. */
export function fold(events: readonly SessionEvent[]): SessionState | null {
  return events.reduce<SessionState | null>(evolve, null);
}

function created(event: SessionEvent): SessionState {
  if (event.type !== "session.created") throw new Error(`a log cannot start with ${event.type}`);
  return {
    id: event.sessionId,
    projectId: event.projectId,
    sequence: event.sequence,
    status: "active",
    run: null,
    queue: [],
    sandboxId: null,
    transcript: { segments: [], sequence: 0, version: 0 },
    memory: null,
    createdAt: event.at,
    updatedAt: event.at,
  };
}

function evolvePublic(state: SessionState, event: PublicSessionEvent): SessionState {
  switch (event.type) {
    case "session.created":
      throw new Error("session.created cannot happen twice");
    case "input.accepted":
      return accepted(state, {
        held: { id: event.inputId, mode: event.mode, effort: event.effort, createdAt: event.at },
        runId: event.runId,
      });
    case "input.applied":
      return withRun(state, (run) => applied(run, event.inputId));
    case "input.cancelled":
      return withoutInput(state, event.inputId);
    case "run.started":
      return started(state, event);
    case "run.completed":
      return { ...state, run: null, status: state.status === "pausing" ? "paused" : state.status };
    case "run.failed":
    case "run.stopped":
      return { ...state, run: null, status: "paused" };
    case "run.interrupted":
      return {
        ...withRun(state, (run) => ({ ...run, status: "interrupted", error: event.error, parked: null })),
        status: "paused",
      };
    case "message.completed":
      return state;
    case "tool.requested":
      return withRun(state, (run) =>
        requested(run, {
          id: event.callId,
          tool: event.tool,
          execution: "application",
          connectionId: null,
          deadlineAt: event.deadlineAt,
        }),
      );
    case "tool.completed":
    case "tool.failed":
    case "tool.cancelled":
      return withRun(state, (run) =>
        withCalls(
          run,
          run.calls.filter((call) => call.id !== event.callId),
        ),
      );
    case "session.updated":
      return updated(state, event.session);
    case "session.archived":
      return { ...state, status: "archived" };
    default:
      return event satisfies never;
  }
}

function evolveEngine(state: SessionState, event: EngineEvent): SessionState {
  switch (event.type) {
    case "engine.begun":
      return withRun(state, (run) => ({ ...run, begun: true, waking: null }));
    case "engine.answered":
      return withRun(state, (run) => ({
        ...run,
        answers: run.answers + 1,
        ...cuts(run, event.cut === true),
        ...used(run, event.usage),
        waking: null,
        turn: event.scripts === 0 ? asking : script(0, event.scripts, state.sequence, event.at),
      }));
    case "engine.retried":
      return withRun(state, (run) => ({
        ...run,
        waking: null,
        turn: retrying(run.turn, event),
      }));
    case "engine.script_ended":
      return {
        ...withRun(state, (run) => ({
          ...run,
          waking: null,
          turn: afterScript(run, state.sequence, event.at),
        })),
        memory: event.memory ?? state.memory,
      };
    case "engine.parked":
      // Only an execution that has taken the run up can wait for it.
      return withRun(state, (run) => ({ ...run, begun: true, parked: event.token, waking: null }));
    case "engine.woken":
      return withRun(state, (run) => ({ ...run, parked: null, waking: run.parked }));
    case "engine.continued":
      return withRun(state, (run) => ({ ...run, leg: event.leg, begun: false, parked: null, waking: null }));
    case "engine.checkpointed":
      return { ...state, transcript: event.transcript };
    case "engine.compacted":
      return withRun(state, (run) => ({
        ...run,
        ...used(run, event.usage),
        waking: null,
        turn: counted(run.turn, "compactions"),
      }));
    case "engine.repaired":
      return withRun(state, (run) => ({ ...run, waking: null, turn: counted(run.turn, "repairs") }));
    case "engine.spent":
      return withRun(state, (run) => ({ ...run, ...used(run, event.usage) }));
    default:
      return event satisfies never;
  }
}

const asking: Turn = { at: "model", failures: 0 };

function retrying(turn: Turn, retry: { failures: number; notBefore?: string | undefined }): Turn {
  const { failures, notBefore } = retry;
  return { ...changes(turn), at: "model", failures, ...(notBefore === undefined ? {} : { notBefore }) };
}

/** How often the conversation was changed for the request that the run is at. */
function changes(turn: Turn): Pick<Extract<Turn, { at: "model" }>, "compactions" | "repairs"> {
  if (turn.at !== "model") return {};
  const { compactions, repairs } = turn;
  return {
    ...(compactions === undefined ? {} : { compactions }),
    ...(repairs === undefined ? {} : { repairs }),
  };
}

function counted(turn: Turn, what: "compactions" | "repairs"): Turn {
  if (turn.at !== "model") throw new Error("the conversation is changed only before a model request");
  return { at: "model", failures: turn.failures, ...changes(turn), [what]: (turn[what] ?? 0) + 1 };
}

const cuts = (run: ActiveRun, isCut: boolean): Pick<ActiveRun, "cuts"> => {
  if (isCut) return { cuts: (run.cuts ?? 0) + 1 };
  return run.cuts === undefined ? {} : { cuts: 0 };
};

function used({ usage: before }: ActiveRun, more: Usage | undefined): Pick<ActiveRun, "usage"> {
  if (more === undefined) return before === undefined ? {} : { usage: before };
  return { usage: before === undefined ? more : addUsage(before, more) };
}

function script(index: number, count: number, since: number, startedAt: string): Turn {
  return { at: "script", index, count, since, startedAt, calls: 0 };
}

function afterScript(run: ActiveRun, sequence: number, at: string): Turn {
  if (run.turn.at !== "script") throw new Error("a script ended that was not running");
  const next = run.turn.index + 1;
  return next < run.turn.count ? script(next, run.turn.count, sequence, at) : asking;
}

function withRun(state: SessionState, change: (run: ActiveRun) => ActiveRun): SessionState {
  if (state.run === null) throw new Error(`session ${state.id} has no active run`);
  return { ...state, run: change(state.run) };
}

function accepted(state: SessionState, input: { held: HeldInput; runId: string | null }): SessionState {
  const active = state.run;
  if (active !== null && input.runId === active.id) {
    return { ...state, run: { ...active, steering: [...active.steering, input.held] } };
  }
  return { ...state, queue: [...state.queue, input.held] };
}

function started(state: SessionState, event: { runId: string; inputId: string; at: string }): SessionState {
  const input = state.queue.find((queued) => queued.id === event.inputId);
  if (input === undefined || state.run !== null) throw new Error(`run ${event.runId} cannot start`);
  return {
    ...state,
    queue: state.queue.filter((queued) => queued !== input),
    run: {
      id: event.runId,
      status: "running",
      initialInputId: input.id,
      startedAt: event.at,
      appliedInputIds: [],
      steering: [input],
      calls: [],
      effort: null,
      turn: asking,
      answers: 0,
      leg: 1,
      begun: false,
      parked: null,
      waking: null,
    },
  };
}

function applied(run: ActiveRun, inputId: string): ActiveRun {
  const input = run.steering.find((held) => held.id === inputId);
  if (input === undefined) throw new Error(`input ${inputId} is not bound to run ${run.id}`);
  return {
    ...run,
    steering: run.steering.filter((held) => held !== input),
    appliedInputIds: [...run.appliedInputIds, inputId],
    effort: input.effort,
  };
}

/** The controls of a session have no events of their own: what they change is what the snapshot says. */
function updated(state: SessionState, session: Snapshot): SessionState {
  const next = { ...state, status: session.status };
  if (session.activeRunStatus !== "stopping" || next.run === null) return next;
  return { ...next, run: { ...next.run, status: "stopping" } };
}

function withoutInput(state: SessionState, inputId: string): SessionState {
  const keep = (held: HeldInput) => held.id !== inputId;
  return {
    ...state,
    queue: state.queue.filter(keep),
    run: state.run && { ...state.run, steering: state.run.steering.filter(keep) },
  };
}

function requested(run: ActiveRun, call: OpenCall): ActiveRun {
  if (run.turn.at !== "script") throw new Error("only a running script requests calls");
  return withCalls({ ...run, waking: null, turn: { ...run.turn, calls: run.turn.calls + 1 } }, [
    ...run.calls,
    call,
  ]);
}

/** Unresolved application calls make a running run wait; resolving the last lets it run again. */
function withCalls(run: ActiveRun, calls: readonly OpenCall[]): ActiveRun {
  const next = { ...run, calls: [...calls] };
  if (next.status !== "running" && next.status !== "waiting_for_tools") return next;
  const waiting = calls.some((call) => call.execution === "application");
  return { ...next, status: waiting ? "waiting_for_tools" : "running" };
}
