import type { State } from "./definition.ts";
import { type Draft, endExecution, evaluateField, limitData, recordEvent, type Sight } from "./draft.ts";
import type { Visit } from "./records.ts";

/** How a state, a Choice rule or a catcher says where to go and with what. */
export type Exit = {
  readonly Output?: unknown;
  readonly Assign?: Readonly<Record<string, unknown>> | undefined;
  readonly Next?: string | undefined;
  readonly End?: true | undefined;
};

/**
 * Leaves a state: evaluates Output and Assign against the variables as they were, records the exit and
 * moves on, or ends the execution. `fallback` is the output's JSON when there is no Output, `prefix`
 * the place of the exit inside the state.
 * @throws StateFailure when an expression fails or the output is over the limit; nothing has moved then.
 */
export async function leave(
  draft: Draft,
  visit: Visit,
  type: State["Type"],
  exit: Exit,
  sight: Sight,
  fallback: string,
  prefix = "",
): Promise<void> {
  const output =
    exit.Output === undefined
      ? fallback
      : JSON.stringify(await evaluateField(draft, visit, `${prefix}Output`, exit.Output, sight));
  limitData(output, visit.state);
  const assigned = await assign(draft, visit, exit, sight, prefix);
  recordEvent(draft, `${type}StateExited`, {
    name: visit.state,
    output,
    ...(exit.Assign === undefined ? {} : { assignedVariables: assigned }),
  });
  const variables =
    exit.Assign === undefined ? draft.head.variables : { ...draft.head.variables, ...assigned };
  draft.head = { ...draft.head, variables };
  if (exit.Next === undefined) return endExecution(draft, "SUCCEEDED", { output });
  draft.head = { ...draft.head, position: { at: "state", state: exit.Next, input: output } };
}

async function assign(
  draft: Draft,
  visit: Visit,
  exit: Exit,
  sight: Sight,
  prefix: string,
): Promise<Record<string, string>> {
  const assigned: Record<string, string> = {};
  for (const [name, template] of Object.entries(exit.Assign ?? {})) {
    const value = await evaluateField(draft, visit, `${prefix}Assign/${name}`, template, sight);
    assigned[name] = limitData(JSON.stringify(value), visit.state);
  }
  return assigned;
}
