import { createHash } from "node:crypto";
import * as z from "zod";
import { DefinitionError, EvaluationError } from "./errors.ts";
import { checkTemplate, isExpression } from "./jsonata.ts";
import { maximumSeconds } from "./limits.ts";

// Every object is strict: a field that this interpreter does not know stops the load, so that a
// definition never runs here in another way than on AWS.

const expression = z.string().refine(isExpression, "must be a JSONata expression: '{% … %}'");
const text = z.string();
const stateName = z.string().min(1).max(80);
const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,79}$/, "a variable is named by letters, digits and underscores")
  .refine((name) => name !== "states", "'states' is a reserved variable");

const common = { Comment: text.optional(), QueryLanguage: z.literal("JSONata").optional() };
const leaving = { Output: z.json().optional(), Assign: z.record(variableName, z.json()).optional() };
const moving = { Next: stateName.optional(), End: z.literal(true).optional() };
const duration = z.union([z.int().min(1).max(maximumSeconds), expression]);
const errorNames = z.array(z.string().min(1)).min(1);

const retrier = z.strictObject({
  ErrorEquals: errorNames,
  IntervalSeconds: z.int().min(1).max(maximumSeconds).default(1),
  MaxAttempts: z.int().min(0).max(maximumSeconds).default(3),
  BackoffRate: z.number().min(1).default(2),
  MaxDelaySeconds: z.int().min(1).max(31_622_399).optional(),
  JitterStrategy: z.enum(["FULL", "NONE"]).default("NONE"),
  Comment: text.optional(),
});

const catcher = z.strictObject({
  ErrorEquals: errorNames,
  Next: stateName,
  ...leaving,
  Comment: text.optional(),
});

const lambdaInvoke = /^arn:(?:[a-z][a-z0-9-]*|\$\{[^}]+\}):states:::lambda:invoke(?:\.waitForTaskToken)?$/;

const task = z
  .strictObject({
    Type: z.literal("Task"),
    ...common,
    ...leaving,
    ...moving,
    Resource: z
      .string()
      .regex(lambdaInvoke, "only lambda:invoke and lambda:invoke.waitForTaskToken run here"),
    Arguments: z.strictObject({ FunctionName: z.string().min(1), Payload: z.json().optional() }),
    TimeoutSeconds: duration.optional(),
    HeartbeatSeconds: duration.optional(),
    Retry: z.array(retrier).default([]),
    Catch: z.array(catcher).default([]),
  })
  .refine((state) => state.HeartbeatSeconds === undefined || waitsForToken(state), {
    path: ["HeartbeatSeconds"],
    error: "has a meaning only with .waitForTaskToken",
  })
  .refine((state) => !waitsForToken(state) || JSON.stringify(state.Arguments).includes("$states.context"), {
    path: ["Arguments"],
    error: "must pass $states.context.Task.Token on, or nothing can end the wait",
  });

const choice = z.strictObject({
  Type: z.literal("Choice"),
  ...common,
  ...leaving,
  Choices: z
    .array(z.strictObject({ Condition: expression, Next: stateName, ...leaving, Comment: text.optional() }))
    .min(1),
  Default: stateName.optional(),
});

const wait = z.strictObject({
  Type: z.literal("Wait"),
  ...common,
  ...leaving,
  ...moving,
  Seconds: z.union([z.int().min(0).max(maximumSeconds), expression]),
});

const pass = z.strictObject({ Type: z.literal("Pass"), ...common, ...leaving, ...moving });
const succeed = z.strictObject({ Type: z.literal("Succeed"), ...common, Output: z.json().optional() });
const fail = z.strictObject({
  Type: z.literal("Fail"),
  ...common,
  Error: text.optional(),
  Cause: text.optional(),
});

const machine = z.strictObject({
  Comment: text.optional(),
  StartAt: stateName,
  States: z.record(stateName, z.unknown()),
  QueryLanguage: z.literal("JSONata"),
  TimeoutSeconds: z.int().min(1).max(maximumSeconds).optional(),
  Version: z.literal("1.0").optional(),
});

const stateTypes = {
  Task: task,
  Choice: choice,
  Wait: wait,
  Pass: pass,
  Succeed: succeed,
  Fail: fail,
} as const;

export type TaskState = z.infer<typeof task>;
export type ChoiceState = z.infer<typeof choice>;
export type WaitState = z.infer<typeof wait>;
export type Retrier = z.infer<typeof retrier>;
export type Catcher = z.infer<typeof catcher>;
export type State = z.infer<(typeof stateTypes)[keyof typeof stateTypes]>;

/** A definition that runs here. `source` is its JSON text and `hash` names it in the journal. */
export type Definition = {
  readonly source: string;
  readonly hash: string;
  readonly startAt: string;
  readonly timeoutSeconds: number | undefined;
  readonly states: ReadonlyMap<string, State>;
};

/**
 * Reads a JSONata definition in the Amazon States Language.
 * @throws DefinitionError naming the state and the field: an unknown state type or field, a missing
 *   target, or an expression that does not compile.
 */
export function parseDefinition(value: unknown): Definition {
  const parsed = machine.safeParse(value);
  if (!parsed.success) throw new DefinitionError(`The definition: ${describe(parsed.error)}`);
  const states = new Map<string, State>();
  for (const [name, state] of Object.entries(parsed.data.States)) states.set(name, parseState(name, state));
  for (const [name, state] of states) checkState(name, state, states);
  if (!states.has(parsed.data.StartAt)) {
    throw new DefinitionError(`StartAt: there is no state '${parsed.data.StartAt}'`);
  }
  const source = JSON.stringify(value);
  return {
    source,
    hash: createHash("sha256").update(source).digest("hex").slice(0, 16),
    startAt: parsed.data.StartAt,
    timeoutSeconds: parsed.data.TimeoutSeconds,
    states,
  };
}

/** Whether a task ends by SendTaskSuccess or SendTaskFailure instead of by its function's return. */
export function waitsForToken(state: { readonly Resource: string }): boolean {
  return state.Resource.endsWith(".waitForTaskToken");
}

function parseState(name: string, value: unknown): State {
  const type = z.looseObject({ Type: z.string() }).safeParse(value).data?.Type;
  const schema = Object.entries(stateTypes).find(([known]) => known === type)?.[1];
  if (!schema) throw new DefinitionError(`State '${name}': the type '${type}' does not run here`);
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new DefinitionError(`State '${name}': ${describe(parsed.error)}`);
  return parsed.data;
}

function checkState(name: string, state: State, states: ReadonlyMap<string, State>): void {
  for (const target of targetsOf(state)) {
    if (!states.has(target)) throw new DefinitionError(`State '${name}': there is no state '${target}'`);
  }
  if ("End" in state || "Next" in state || ["Task", "Wait", "Pass"].includes(state.Type)) {
    const { Next, End } = { Next: undefined, End: undefined, ...state };
    if ((Next === undefined) === (End === undefined)) {
      throw new DefinitionError(`State '${name}': give it either Next or End`);
    }
  }
  if (state.Type === "Task")
    for (const field of ["Retry", "Catch"] as const) checkAll(name, field, state[field]);
  try {
    for (const [field, value] of Object.entries(state)) checkTemplate(value, field);
  } catch (thrown) {
    if (!(thrown instanceof EvaluationError)) throw thrown;
    throw new DefinitionError(`State '${name}', field '${thrown.location}': ${thrown.message}`);
  }
}

function checkAll(
  name: string,
  field: string,
  rules: readonly { readonly ErrorEquals: readonly string[] }[],
): void {
  const index = rules.findIndex((rule) => rule.ErrorEquals.includes("States.ALL"));
  if (index < 0 || (index === rules.length - 1 && rules[index]?.ErrorEquals.length === 1)) return;
  throw new DefinitionError(`State '${name}': in ${field}, States.ALL must stand alone and last`);
}

function targetsOf(state: State): string[] {
  const targets: (string | undefined)[] = [];
  if ("Next" in state) targets.push(state.Next);
  if (state.Type === "Task") targets.push(...state.Catch.map((rule) => rule.Next));
  if (state.Type === "Choice") targets.push(state.Default, ...state.Choices.map((rule) => rule.Next));
  return targets.filter((target) => target !== undefined);
}

function describe(error: z.ZodError): string {
  return error.issues
    .map((issue) => {
      const path = issue.path.map(String).join("/");
      if (issue.code === "unrecognized_keys") {
        const fields = issue.keys.map((key) => `'${path === "" ? key : `${path}/${key}`}'`);
        return `the field ${fields.join(", ")} does not run here; remove it or teach the interpreter`;
      }
      return path === "" ? issue.message : `field '${path}': ${issue.message}`;
    })
    .join("; ");
}
