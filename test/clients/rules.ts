/**
 * The rules of a session as the reference tells them, written a second time and on their own: small, slow and
 * without a look at the product's. What a client asks gives an answer; what the engine does by itself comes in
 * small steps, any of which may fall between two requests.
 */

/** What the scripted model does about an input: answers, or first calls functions. */
export const plans = ["say", "one", "two"] as const;
export type Plan = (typeof plans)[number];
/** How many functions each calls. */
export const callsOf: Record<Plan, number> = { say: 0, one: 1, two: 2 };

type Run = {
  /** The label of its initial input stands for the run. */
  readonly of: string;
  readonly status: "running" | "waiting_for_tools" | "stopping";
  readonly steering: readonly string[];
  /** Asks the model, is being answered, or runs the script of that input. */
  readonly at: "model" | "asked" | "script";
  /** The input applied last since the model's last answer. */
  readonly heard: string | null;
  /** False until the script's functions are requested. */
  readonly requested: boolean;
  readonly open: readonly string[];
};

export type State = {
  readonly status: "active" | "pausing" | "paused" | "archived";
  readonly run: Run | null;
  readonly queue: readonly string[];
  readonly inputs: Readonly<Record<string, string>>;
  readonly runs: Readonly<Record<string, string>>;
  readonly plans: Readonly<Record<string, Plan>>;
  /** Accepted outputs by call. */
  readonly receipts: Readonly<Record<string, number>>;
  readonly events: readonly string[];
};

export const nothing: State = {
  status: "active",
  run: null,
  queue: [],
  inputs: {},
  runs: {},
  plans: {},
  receipts: {},
  events: [],
};

/** A request of a client; inputs, runs and calls go by their labels. */
export type Request =
  | { readonly do: "steer" | "queue"; readonly label: string; readonly plan: Plan }
  | { readonly do: "stop"; readonly run: string }
  | { readonly do: "pause" | "resume" | "archive" }
  | { readonly do: "cancel"; readonly label: string }
  | { readonly do: "submit"; readonly call: string; readonly value: number };

/** Status and, where it is an error, code. */
export type Answer = string;

export function ask(state: State, request: Request): { readonly state: State; readonly answer: Answer } {
  switch (request.do) {
    case "steer":
    case "queue":
      return send(state, request.do, request.label, request.plan);
    case "stop":
      return stop(state, request.run);
    case "pause":
      return pause(state);
    case "resume":
      return resume(state);
    case "archive":
      return archive(state);
    case "cancel":
      return cancel(state, request.label);
    case "submit":
      return submit(state, request.call, request.value);
    default:
      return request satisfies never;
  }
}

const answered = (state: State, answer: Answer) => ({ state, answer });
const tell = (state: State, ...events: string[]): State => ({
  ...state,
  events: [...state.events, ...events],
});
const mark = (state: State, label: string, status: string): State => ({
  ...state,
  inputs: { ...state.inputs, [label]: status },
});

function send(before: State, mode: "steer" | "queue", label: string, plan: Plan) {
  const refusal = refuseInput(before, mode);
  if (refusal !== null) return answered(before, refusal);
  const state = tell(
    mark({ ...before, plans: { ...before.plans, [label]: plan } }, label, "accepted"),
    `input.accepted ${label}`,
  );
  const { run } = state;
  if (run === null && state.status === "active") return answered(start(state, label), "202");
  if (run !== null && mode === "steer") {
    return answered({ ...state, run: { ...run, steering: [...run.steering, label] } }, "202");
  }
  return answered({ ...state, queue: [...state.queue, label] }, "202");
}

function refuseInput({ status, run }: State, mode: "steer" | "queue"): Answer | null {
  if (status === "archived") return "409 session_archived";
  if (mode === "queue") return null;
  if (run?.status === "stopping") return "409 run_stopping";
  return status === "active" ? null : "409 session_paused";
}

function start(state: State, label: string): State {
  const run: Run = {
    of: label,
    status: "running",
    steering: [label],
    at: "model",
    heard: null,
    requested: false,
    open: [],
  };
  const queue = state.queue.filter((queued) => queued !== label);
  return tell({ ...state, run, queue }, `run.started ${label}`);
}

function startNext(state: State): State {
  const [next] = state.queue;
  return next === undefined ? state : start(state, next);
}

function stop(state: State, of: string) {
  const { run } = state;
  if (run?.of !== of) return answered(state, of in state.runs ? "200" : "409 run_not_active");
  if (run.status === "stopping") return answered(state, "202");
  const stopping: Run = { ...run, status: "stopping", open: [] };
  const events = run.open.map((call) => `tool.cancelled ${call}`);
  return answered(tell({ ...state, status: "pausing", run: stopping }, ...events), "202");
}

function pause(state: State) {
  if (state.status === "archived") return answered(state, "409 session_archived");
  if (state.status === "pausing") return answered(state, "202");
  if (state.status === "paused") return answered(state, "200");
  return state.run === null
    ? answered({ ...state, status: "paused" }, "200")
    : answered({ ...state, status: "pausing" }, "202");
}

function resume(state: State) {
  if (state.status === "archived") return answered(state, "409 session_archived");
  if (state.run?.status === "stopping") return answered(state, "409 run_stopping");
  if (state.status === "pausing") return answered(state, "409 session_pausing");
  if (state.status === "active") return answered(state, "200");
  const active: State = { ...state, status: "active" };
  return answered(active.run === null ? startNext(active) : active, "200");
}

function archive(state: State) {
  if (state.status === "archived") return answered(state, "200");
  if (state.run !== null) return answered(state, "409 session_active");
  const emptied = state.queue.reduce((now, label) => drop(now, label, "session_archived"), state);
  return answered(tell({ ...emptied, status: "archived", queue: [] }, "session.archived"), "200");
}

const drop = (state: State, label: string, reason: string): State =>
  tell(mark(state, label, `cancelled ${reason}`), `input.cancelled ${label} ${reason}`);

function cancel(state: State, label: string) {
  if (state.queue.includes(label)) {
    const queue = state.queue.filter((queued) => queued !== label);
    return answered(drop({ ...state, queue }, label, "customer_cancelled"), "204");
  }
  const withoutRun = ["cancelled customer_cancelled", "cancelled session_archived"];
  return answered(state, withoutRun.includes(state.inputs[label] ?? "") ? "204" : "409 input_not_queued");
}

function submit(state: State, call: string, value: number) {
  const receipt = state.receipts[call];
  if (receipt !== undefined) return answered(state, receipt === value ? "200" : "409 tool_result_conflict");
  const { run } = state;
  if (run?.status !== "waiting_for_tools" || !run.open.includes(call)) {
    return answered(state, "409 tool_call_not_pending");
  }
  const open = run.open.filter((pending) => pending !== call);
  const status = open.length === 0 ? "running" : "waiting_for_tools";
  const receipts = { ...state.receipts, [call]: value };
  return answered(
    tell({ ...state, receipts, run: { ...run, open, status } }, `tool.completed ${call}`),
    "200",
  );
}

/** What the engine may do next, each possibility by itself. None: the session is at rest. */
export function engineSteps(state: State): State[] {
  const { run } = state;
  if (run === null) return [];
  if (run.status === "stopping") return [stopped(state, run)];
  const steps: State[] = [];
  if (state.status === "pausing" && run.at !== "asked") steps.push({ ...state, status: "paused" });
  if (state.status === "active" && run.at === "model" && run.steering.length > 0)
    steps.push(applied(state, run));
  if (state.status === "paused") return steps;
  if (run.at === "model" && run.steering.length === 0) steps.push({ ...state, run: { ...run, at: "asked" } });
  if (run.at === "asked") steps.push(answer(state, run));
  if (run.at === "script" && !run.requested && state.status === "active") steps.push(request(state, run));
  if (run.at === "script" && run.requested && run.open.length === 0) steps.push(scriptEnded(state, run));
  return steps;
}

function stopped(state: State, run: Run): State {
  const without = run.steering.reduce((now, label) => drop(now, label, "run_stopped"), state);
  return end({ ...without, status: "paused" }, run, "stopped");
}

function end(state: State, run: Run, status: string): State {
  return tell({ ...state, run: null, runs: { ...state.runs, [run.of]: status } }, `run.${status} ${run.of}`);
}

function applied(state: State, run: Run): State {
  const told = run.steering.reduce(
    (now, label) => tell(mark(now, label, "applied"), `input.applied ${label}`),
    state,
  );
  return { ...told, run: { ...run, steering: [], heard: run.steering.at(-1) ?? run.heard } };
}

/** A text ends the run, unless steering waits. A script comes without text. */
function answer(state: State, run: Run): State {
  const { heard } = run;
  if (heard !== null && callsOf[state.plans[heard] ?? "say"] > 0) {
    return { ...state, run: { ...run, at: "script", requested: false } };
  }
  const said = tell(state, `message.completed ${run.of}`);
  if (run.steering.length > 0) return { ...said, run: { ...run, at: "model", heard: null } };
  const ended = end(said, run, "completed");
  return ended.status === "active" ? startNext(ended) : { ...ended, status: "paused" };
}

function request(state: State, run: Run): State {
  const { heard } = run;
  const count = heard === null ? 0 : callsOf[state.plans[heard] ?? "say"];
  const open = Array.from({ length: count }, (_, index) => `${heard}/${index}`);
  const waiting: Run = { ...run, status: "waiting_for_tools", requested: true, open };
  return tell({ ...state, run: waiting }, ...open.map((call) => `tool.requested ${call}`));
}

function scriptEnded(state: State, run: Run): State {
  const next: State = { ...state, run: { ...run, at: "model", heard: null, requested: false } };
  return next.status === "active" && next.run !== null && run.steering.length > 0
    ? applied(next, next.run)
    : next;
}
