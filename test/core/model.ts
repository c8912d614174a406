import fc from "fast-check";
import {
  activeRun,
  answer,
  apply,
  archive,
  cancel,
  compact,
  end,
  expire,
  fail,
  failed,
  inline,
  lose,
  nextLeg,
  ok,
  park,
  pause,
  placeIn,
  queue,
  type Result,
  repair,
  request,
  resultFor,
  resume,
  retry,
  settlePause,
  settleStop,
  steer,
  stop,
  submitTo,
} from "../support/commands.ts";
import { type Command, type Past, pastOf } from "../support/specification.ts";

/** What clients, the turn engine and the sweep may ask of a session, in any order. */
export type Op =
  | { readonly do: "steer" | "queue" | "apply" | "fail" | "expire" }
  | { readonly do: "pause" | "resume" | "archive" | "settle stop" | "settle pause" }
  | { readonly do: "stop"; readonly run: "active" | "first" }
  | { readonly do: "cancel"; readonly index: number }
  | {
      readonly do: "answer";
      readonly scripts: number;
      readonly text: boolean;
      readonly cut: boolean;
      readonly late: boolean;
    }
  | { readonly do: "request"; readonly count: number; readonly late: boolean }
  | { readonly do: "end"; readonly memory: boolean; readonly late: boolean }
  | { readonly do: "retry" | "compact" | "repair" | "park" | "lose" | "next leg"; readonly late: boolean }
  | { readonly do: "submit"; readonly results: readonly Pick[]; readonly run: "active" | "first" };

/** A result for one of the latest calls, counted back from the last; or for a call of no session. */
export type Pick = { readonly back: number | "unknown"; readonly ok: boolean; readonly value: number };

/** An operation so many seconds later, or earlier on a host whose clock is behind. */
export type Step = Op & { readonly after: number };

/** Mostly in time: what comes late is refused and leads nowhere. */
const rarely = fc.integer({ min: 0, max: 9 }).map((n) => n === 0);
const of = <const Name extends string>(name: Name) => fc.constant({ do: name });
const commanded = <const Name extends string>(name: Name, isLate: fc.Arbitrary<boolean>) =>
  fc.record({ do: fc.constant(name), late: isLate });

const pick: fc.Arbitrary<Pick> = fc.record({
  back: fc.oneof(
    { weight: 12, arbitrary: fc.constant(0) },
    { weight: 12, arbitrary: fc.nat({ max: 5 }) },
    { weight: 1, arbitrary: fc.constant("unknown" as const) },
  ),
  ok: fc.boolean(),
  value: fc.nat({ max: 1 }),
});

const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 9, arbitrary: of("steer") },
  { weight: 12, arbitrary: of("queue") },
  { weight: 15, arbitrary: of("apply") },
  {
    weight: 18,
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      scripts: fc.integer({ min: 0, max: 3 }),
      text: fc.boolean(),
      cut: rarely,
      late: rarely,
    }),
  },
  {
    weight: 15,
    arbitrary: fc.record({
      do: fc.constant("request" as const),
      count: fc.integer({ min: 1, max: 4 }),
      late: rarely,
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({ do: fc.constant("end" as const), memory: fc.boolean(), late: rarely }),
  },
  { weight: 12, arbitrary: commanded("park", rarely) },
  { weight: 3, arbitrary: commanded("retry", rarely) },
  { weight: 3, arbitrary: commanded("compact", rarely) },
  { weight: 3, arbitrary: commanded("repair", rarely) },
  { weight: 1, arbitrary: commanded("lose", fc.boolean()) },
  { weight: 3, arbitrary: commanded("next leg", rarely) },
  { weight: 1, arbitrary: of("fail") },
  { weight: 6, arbitrary: of("expire") },
  { weight: 5, arbitrary: of("pause") },
  { weight: 9, arbitrary: of("settle pause") },
  { weight: 12, arbitrary: of("resume") },
  { weight: 5, arbitrary: of("settle stop") },
  { weight: 1, arbitrary: of("archive") },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("cancel" as const), index: fc.nat({ max: 12 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("stop" as const),
      run: fc.constantFrom("active" as const, "active" as const, "first" as const),
    }),
  },
  {
    weight: 18,
    arbitrary: fc.record({
      do: fc.constant("submit" as const),
      results: fc.array(pick, { minLength: 1, maxLength: 4 }),
      run: fc.oneof(
        { weight: 6, arbitrary: fc.constant("active" as const) },
        { weight: 1, arbitrary: fc.constant("first" as const) },
      ),
    }),
  },
);

const wait = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 5 }) },
  { weight: 1, arbitrary: fc.constant(-3) },
  { weight: 1, arbitrary: fc.constantFrom(300, 599, 600) },
);

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.tuple(op, wait).map(([next, after]) => ({ ...next, after })),
  { maxLength: 60, size: "max" },
);

/** A late command comes from the last place that the run has left; from nowhere where it has left none. */
function late(step: { readonly late: boolean }, past: Past): { place?: string } {
  if (!step.late) return {};
  const here = placeIn(past);
  for (let end = past.events.length - 1; end > 0; end -= 1) {
    const place = placeIn(pastOf(past.events.slice(0, end)));
    if (place !== here) return { place };
  }
  return { place: "nowhere" };
}

/** The command that an operation is, in the state that it meets. */
export function commandOf(step: Step): Command {
  switch (step.do) {
    case "steer":
      return steer("high");
    case "queue":
      return queue("low");
    case "apply":
      return apply();
    case "fail":
      return fail("model_error", undefined, { input: 3, output: 1, cached: 0 });
    case "expire":
      return expire();
    case "pause":
      return pause();
    case "resume":
      return resume();
    case "archive":
      return archive();
    case "settle stop":
      return settleStop();
    case "settle pause":
      return settlePause();
    case "stop":
      return (past, at) => stop(runOf(past, step.run))(past, at);
    case "cancel":
      return cancel(step.index);
    case "answer":
      return (past, at) =>
        answer(step.scripts, {
          ...late(step, past),
          ...(step.text ? { usage: { input: 5, output: 2, cached: 1 } } : { content: null }),
          cut: step.cut,
        })(past, at);
    case "request":
      return (past, at) => request(step.count, late(step, past).place)(past, at);
    case "end":
      return (past, at) =>
        end({ ...(step.memory ? { memory: inline({ n: 1 }) } : {}), ...late(step, past) })(past, at);
    case "retry":
      return (past, at) => retry(failuresOf(past) + (step.late ? 0 : 1))(past, at);
    case "compact":
      return (past, at) => compact(late(step, past))(past, at);
    case "repair":
      return (past, at) => repair(undefined, late(step, past).place)(past, at);
    case "park":
      return (past, at) =>
        park(`token ${past.events.length}`, { seen: past.state.sequence - (step.late ? 1 : 0) })(past, at);
    case "lose":
      return (past, at) => lose((past.state.run?.leg ?? 1) - (step.late ? 1 : 0))(past, at);
    case "next leg":
      return (past, at) => nextLeg((past.state.run?.leg ?? 0) + (step.late ? 2 : 1))(past, at);
    case "submit":
      return (past, at) => submitTo(runOf(past, step.run), ...step.results.map(resultOf))(past, at);
    default:
      return step satisfies never;
  }
}

function failuresOf({ state }: Past): number {
  return state.run?.turn.at === "model" ? state.run.turn.failures : 0;
}

function runOf(past: Past, which: "active" | "first"): string {
  const first = past.events.find((event) => event.type === "run.started")?.runId;
  return which === "first" && first !== undefined ? first : activeRun(past);
}

const resultOf =
  ({ back, ok: succeeds, value }: Pick): Result =>
  (past) => {
    if (back === "unknown") return resultFor("call_spec9999999999")(past);
    const index = past.events.filter((event) => event.type === "tool.requested").length - 1 - back;
    return succeeds ? ok(index, { value })(past) : failed(index, `error ${value}`)(past);
  };
