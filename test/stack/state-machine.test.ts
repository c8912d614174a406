import jsonata from "jsonata";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { stateMachineDefinition } from "../../lib/definition.ts";
import { onlyResource } from "../../lib/template.ts";
import { templateUnderTest } from "./template-under-test.ts";

const template = await templateUnderTest();
const { definition, functions } = stateMachineDefinition(template);

const stateSchema = z.looseObject({ Type: z.string(), Next: z.string().optional() });
const machine = z
  .looseObject({ QueryLanguage: z.string(), StartAt: z.string(), States: z.record(z.string(), stateSchema) })
  .parse(definition);
const state = (name: string) => stateSchema.parse(machine.States[name]);

const run = { sessionId: "ses_1", runId: "run_1", leg: 2 };
const context = {
  StateMachine: { Id: "arn:machine" },
  Execution: { Name: "run_1" },
  Task: { Token: "token-1" },
};

/** Evaluates every `{% %}` in a value, as Step Functions does, with what it calls `$states`. */
const evaluate = async (value: unknown, states: object): Promise<unknown> => {
  if (Array.isArray(value)) return Promise.all(value.map((item) => evaluate(item, states)));
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(
      async ([key, item]) => [key, await evaluate(item, states)] as const,
    );
    return Object.fromEntries(await Promise.all(entries));
  }
  const expression = typeof value === "string" ? /^\{%(.*)%\}$/s.exec(value)?.[1] : undefined;
  if (expression === undefined) return value;
  return JSON.parse(JSON.stringify(await jsonata(expression).evaluate({}, { states })));
};

const payloadOf = async (name: string, input: object): Promise<unknown> =>
  z.object({ Payload: z.unknown() }).parse(await evaluate(state(name)["Arguments"], { input, context }))
    .Payload;

const catcherSchema = z.array(
  z.object({ ErrorEquals: z.array(z.string()), Next: z.string(), Output: z.string() }),
);
const retrySchema = z.array(
  z.object({
    ErrorEquals: z.array(z.string()),
    IntervalSeconds: z.number(),
    BackoffRate: z.number(),
    MaxDelaySeconds: z.number(),
    MaxAttempts: z.number(),
    JitterStrategy: z.literal("FULL"),
  }),
);

describe("state machine", () => {
  it("is a JSONata machine that starts with Advance and has these states", () => {
    expect(machine.QueryLanguage).toBe("JSONata");
    expect(machine.StartAt).toBe("Advance");
    expect(Object.entries(machine.States).map(([name, { Type }]) => [name, Type])).toEqual([
      ["Advance", "Task"],
      ["Next", "Choice"],
      ["Await", "Task"],
      ["Rest", "Wait"],
      ["Lost", "Task"],
      ["Failed", "Fail"],
      ["Done", "Succeed"],
    ]);
  });

  it("names the functions that it invokes", () => {
    expect(Object.values(functions).sort()).toEqual(["advance", "await", "lost"]);
    for (const [name, handler] of [
      ["Advance", "advance"],
      ["Await", "await"],
      ["Lost", "lost"],
    ] as const) {
      const { FunctionName } = z.object({ FunctionName: z.string() }).parse(state(name)["Arguments"]);
      expect(functions[FunctionName]).toBe(handler);
    }
  });

  it("takes a text run through Advance, Next and Done", () => {
    expect(state("Advance").Next).toBe("Next");
    expect(state("Next")["Default"]).toBe("Done");
    expect(state("Done")).toEqual({ Type: "Succeed" });
  });

  it("gives Advance the run, its cycle, and where to start the next one", async () => {
    expect(await payloadOf("Advance", { ...run, cycle: 3, next: "continue" })).toEqual({
      ...run,
      cycle: 3,
      stateMachineArn: "arn:machine",
      executionName: "run_1",
    });
  });

  it.each([
    ["wait", "Await"],
    ["rest", "Rest"],
    ["continue", "Advance"],
    ["done", "Done"],
  ])("follows %s to %s", async (next, target) => {
    const choices = z
      .array(z.object({ Condition: z.string(), Next: z.string() }))
      .parse(await evaluate(state("Next")["Choices"], { input: { ...run, next } }).then(asStrings));
    const taken = choices.find(({ Condition }) => Condition === "true")?.Next ?? state("Next")["Default"];
    expect(taken).toBe(target);
  });

  it("waits for a token until the deadline, then goes on as if it had been woken", async () => {
    const input = { ...run, cycle: 1, next: "wait", seconds: 90, seen: 7 };
    expect(state("Await")["Resource"]).toBe("arn:aws:states:::lambda:invoke.waitForTaskToken");
    expect(await payloadOf("Await", input)).toEqual({ ...run, seen: 7, token: "token-1" });
    expect(await evaluate(state("Await")["TimeoutSeconds"], { input })).toBe(90);
    expect(await evaluate(state("Await")["Output"], { input, result: {} })).toEqual({
      ...input,
      next: "continue",
    });
    const [timeout] = catcherSchema.parse(state("Await")["Catch"]);
    expect(timeout).toMatchObject({ ErrorEquals: ["States.Timeout"], Next: "Advance" });
    expect(await evaluate(timeout?.Output, { input })).toEqual(input);
  });

  it("rests without a token until the next deadline of an interrupted run, then looks again", async () => {
    const input = { ...run, cycle: 1, next: "rest", seconds: 90 };
    expect(state("Rest").Next).toBe("Advance");
    expect(await evaluate(state("Rest")["Seconds"], { input })).toBe(90);
    expect(state("Rest")).not.toHaveProperty("Output");
  });

  it.each(["Advance", "Await"])(
    "takes any other error of %s to Lost, with the run and the error",
    async (name) => {
      const input = { ...run, cycle: 1 };
      const errorOutput = { Error: "Runtime.ExitError", Cause: "killed" };
      const catcher = catcherSchema.parse(state(name)["Catch"]).at(-1);
      expect(catcher).toMatchObject({ ErrorEquals: ["States.ALL"], Next: "Lost" });
      const output = await evaluate(catcher?.Output, { input, errorOutput });
      expect(output).toEqual({ ...input, error: errorOutput });
      expect(await payloadOf("Lost", z.record(z.string(), z.unknown()).parse(output))).toEqual({
        ...run,
        error: errorOutput,
      });
    },
  );

  it("repeats a turn only after errors that say that it did not run", () => {
    const [retry, ...others] = retrySchema.parse(state("Advance")["Retry"]);
    expect(others).toEqual([]);
    expect(retry?.ErrorEquals).toEqual([
      "Lambda.TooManyRequestsException",
      "Lambda.ResourceConflictException",
      "Lambda.ResourceNotReadyException",
    ]);
  });

  it("repeats after any error what may run twice, but no wait that timed out", () => {
    expect(retrySchema.parse(state("Await")["Retry"])[0]?.ErrorEquals).toEqual(["States.TaskFailed"]);
    expect(retrySchema.parse(state("Lost")["Retry"])[0]?.ErrorEquals).toEqual(["States.ALL"]);
  });

  it("sits out about seven minutes of throttling", () => {
    const [retry] = retrySchema.parse(state("Advance")["Retry"]);
    if (retry === undefined) throw new Error("Advance has no retry");
    const waits = Array.from({ length: retry.MaxAttempts }, (_, attempt) =>
      Math.min(retry.IntervalSeconds * retry.BackoffRate ** attempt, retry.MaxDelaySeconds),
    );
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(423);
  });

  it("gives an invocation a minute more than the function has", () => {
    expect(state("Advance")["TimeoutSeconds"]).toBe(960);
  });

  it("ends a lost run as a failed execution", () => {
    expect(state("Lost").Next).toBe("Failed");
    expect(state("Failed")).toMatchObject({ Error: "RunLost" });
  });

  it("logs events without their data", () => {
    const [, resource] = onlyResource(template, "AWS::StepFunctions::StateMachine");
    expect(resource.Properties["LoggingConfiguration"]).toMatchObject({
      Level: "ALL",
      IncludeExecutionData: false,
    });
    expect(resource.Properties["TracingConfiguration"]).toEqual({ Enabled: true });
  });
});

/** Conditions evaluate to booleans; as text they fit the schema of a choice. */
const asStrings = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, item: unknown) => (typeof item === "boolean" ? String(item) : item)));
