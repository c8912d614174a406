import type { Event } from "../../contract/schemas/events.ts";
import { type Input, InputList } from "../../contract/schemas/inputs.ts";
import { RunList } from "../../contract/schemas/runs.ts";
import type { Session } from "../../contract/schemas/sessions.ts";
import type { Backend } from "../support/api.ts";
import type { State } from "./rules.ts";

/** What a client can see of a session, by labels: comparable between the rules and the product. */
export type View = {
  readonly status: string;
  readonly run: string | null;
  readonly runStatus: string | null;
  readonly pendingInputs: number;
  readonly pendingCalls: readonly string[];
  readonly inputs: Readonly<Record<string, string>>;
  readonly runs: Readonly<Record<string, string>>;
  readonly events: readonly string[];
};

export function viewOf(state: State): View {
  const { run } = state;
  return {
    status: state.status,
    run: run?.of ?? null,
    runStatus: run?.status ?? null,
    pendingInputs: state.queue.length,
    pendingCalls: run?.open ?? [],
    inputs: state.inputs,
    runs: run === null ? state.runs : { ...state.runs, [run.of]: run.status },
    events: state.events,
  };
}

/** The same with the ids that requests need. */
export type Observed = {
  readonly view: View;
  /** Ids by label. */
  readonly inputIds: Readonly<Record<string, string>>;
  readonly runIds: Readonly<Record<string, string>>;
  /** Every call that was ever requested. */
  readonly calls: Readonly<Record<string, { readonly id: string; readonly runId: string }>>;
};

const labelOf = (input: Input): string => {
  const [block] = input.content;
  return block?.type === "text" ? (block.text.split(" ")[0] ?? "") : "";
};

/** Reads a session whole, at one moment: again when it moved on meanwhile. */
export async function observe(api: Backend, sessionId: string): Promise<Observed> {
  for (;;) {
    const session = await api.session(sessionId);
    const [inputs, runs, events] = await Promise.all([
      api.expectOk(InputList, 200, "GET", `/sessions/${sessionId}/inputs?limit=100`),
      api.expectOk(RunList, 200, "GET", `/sessions/${sessionId}/runs?limit=100`),
      api.events(sessionId),
    ]);
    if (events.length !== session.last_event_sequence) continue;
    return describe(session, inputs.data, runs.data, events);
  }
}

function describe(
  session: Session,
  inputs: readonly Input[],
  runs: RunList["data"],
  events: readonly Event[],
): Observed {
  const labels = new Map(inputs.map((input) => [input.id, labelOf(input)]));
  const runLabels = new Map(runs.map((run) => [run.id, labels.get(run.initial_input_id) ?? "?"]));
  const calls = Object.fromEntries(
    events.flatMap((event) => {
      if (event.type !== "tool.requested") return [];
      const { id, run_id: runId } = event.data.call;
      return [[callLabel(event.data.call), { id, runId }] as const];
    }),
  );
  const inputLabel = (id: string) => labels.get(id) ?? "?";
  const runLabel = (id: string) => runLabels.get(id) ?? "?";
  return {
    view: {
      status: session.status,
      run: session.active_run_id === null ? null : runLabel(session.active_run_id),
      runStatus: session.active_run_status,
      pendingInputs: session.pending_input_count,
      pendingCalls: session.pending_tool_calls.map(callLabel),
      inputs: Object.fromEntries(
        inputs.map((input) => [
          labelOf(input),
          input.cancellation_reason === null ? input.status : `${input.status} ${input.cancellation_reason}`,
        ]),
      ),
      runs: Object.fromEntries(runs.map((run) => [runLabel(run.id), run.status])),
      events: events.flatMap((event) => line(event, inputLabel, runLabel)),
    },
    inputIds: Object.fromEntries([...labels].map(([id, label]) => [label, id])),
    runIds: Object.fromEntries([...runLabels].map(([id, label]) => [label, id])),
    calls,
  };
}

/** The scripted model names each call after the input that led to it. */
const callLabel = (call: { readonly arguments: unknown }): string => {
  const { arguments: given } = call;
  return typeof given === "object" && given !== null && "name" in given ? String(given.name) : "?";
};

type Name = (id: string) => string;

function line(event: Event, input: Name, run: Name): string[] {
  switch (event.type) {
    case "input.accepted":
    case "input.applied":
      return [`${event.type} ${input(event.data.input.id)}`];
    case "input.cancelled":
      return [`${event.type} ${input(event.data.input.id)} ${event.data.input.cancellation_reason}`];
    case "run.started":
    case "run.completed":
    case "run.failed":
    case "run.interrupted":
    case "run.stopped":
      return [`${event.type} ${run(event.data.run.id)}`];
    case "message.completed":
      return [`${event.type} ${run(event.data.run_id)}`];
    case "tool.requested":
    case "tool.started":
    case "tool.completed":
    case "tool.failed":
    case "tool.cancelled":
      return [`${event.type} ${callLabel(event.data.call)}`];
    case "session.archived":
      return [event.type];
    default:
      return [];
  }
}
