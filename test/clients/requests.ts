import fc from "fast-check";
import { ErrorEnvelope } from "../../contract/schemas/common.ts";
import type { Backend } from "../support/api.ts";
import type { Observed } from "./observe.ts";
import { callsOf, type Plan, plans, type Request } from "./rules.ts";

/** What a client wants, before it is known which run, input or call that is. */
export type Wish =
  | { readonly do: "steer" | "queue"; readonly plan: Plan }
  | { readonly do: "stop"; readonly run: "active" | "ended" }
  | { readonly do: "pause" | "resume" | "archive" }
  | { readonly do: "cancel" | "submit"; readonly nth: number; readonly value: number };

const plan = fc.constantFrom(...plans);
const of = <const Name extends Wish["do"]>(name: Name) => fc.record({ do: fc.constant(name) });
const nth = <const Name extends Wish["do"]>(name: Name) =>
  fc.record({ do: fc.constant(name), nth: fc.nat({ max: 7 }), value: fc.nat({ max: 1 }) });

const wish: fc.Arbitrary<Wish> = fc.oneof(
  { weight: 24, arbitrary: fc.record({ do: fc.constantFrom("steer" as const, "queue" as const), plan }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("stop" as const),
      run: fc.constantFrom("active" as const, "active" as const, "ended" as const),
    }),
  },
  { weight: 8, arbitrary: of("pause") },
  { weight: 22, arbitrary: of("resume") },
  { weight: 6, arbitrary: nth("cancel") },
  { weight: 24, arbitrary: nth("submit") },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("archive" as const) }) },
);

/** What happens at the same moment: one to three clients, each with one or two requests. */
export type Moment = readonly (readonly Wish[])[];
const moment: fc.Arbitrary<Moment> = fc.array(fc.array(wish, { minLength: 1, maxLength: 2 }), {
  minLength: 1,
  maxLength: 3,
});
export const moments: fc.Arbitrary<Moment[]> = fc.array(moment, { minLength: 1, maxLength: 14, size: "max" });

/** The request for a wish, given what the client knows; null where there is nothing that it could name. */
export function resolve(wanted: Wish, known: Observed, label: string): Request | null {
  switch (wanted.do) {
    case "steer":
    case "queue":
      return { do: wanted.do, label, plan: wanted.plan };
    case "stop": {
      const ended = Object.keys(known.runIds).find((run) => run !== known.view.run);
      const run = wanted.run === "active" ? known.view.run : ended;
      return run === null || run === undefined ? null : { do: "stop", run };
    }
    case "cancel": {
      const name = pick(Object.keys(known.inputIds), wanted.nth);
      return name === undefined ? null : { do: "cancel", label: name };
    }
    case "submit": {
      // The latest calls first: they are the ones that may be pending.
      const call = pick(Object.keys(known.calls).reverse(), wanted.nth % 3);
      return call === undefined ? null : { do: "submit", call, value: wanted.value };
    }
    default:
      return { do: wanted.do };
  }
}

const pick = (names: readonly string[], at: number): string | undefined => names[at % names.length];

/** Sends a request and tells its answer as the rules do. */
export async function perform(api: Backend, id: string, known: Observed, request: Request): Promise<string> {
  const answer = await api.send(...wire(id, known, request));
  return answer.status < 400
    ? String(answer.status)
    : `${answer.status} ${ErrorEnvelope.parse(answer.body).error.code}`;
}

function wire(id: string, known: Observed, request: Request): [string, string, object?] {
  const path = `/sessions/${id}`;
  switch (request.do) {
    case "steer":
    case "queue": {
      const content = [{ type: "text", text: `${request.label} ${callsOf[request.plan]}` }];
      return ["POST", `${path}/inputs`, { mode: request.do, content }];
    }
    case "stop":
      return ["POST", `${path}/stop`, { run_id: known.runIds[request.run] }];
    case "cancel":
      return ["DELETE", `${path}/inputs/${known.inputIds[request.label]}`];
    case "submit": {
      const call = known.calls[request.call];
      const result = { call_id: call?.id, success: true, output: request.value };
      return ["POST", `${path}/tool-results`, { run_id: call?.runId, results: [result] }];
    }
    default:
      return ["POST", `${path}/${request.do}`];
  }
}
