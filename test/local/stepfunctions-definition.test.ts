import { describe, expect, it } from "vitest";
import { DefinitionError, parseDefinition, startStepFunctions } from "../../local/stepfunctions/index.ts";
import { machine, runsMachine, stateMachineArn, task, tokenTask } from "./stepfunctions-support.ts";

const Done = { Type: "Succeed" };

function refusal(definition: object): string {
  try {
    parseDefinition(definition);
  } catch (thrown) {
    if (thrown instanceof DefinitionError) return thrown.message;
    throw thrown;
  }
  return "accepted";
}

describe("a definition", () => {
  it("is accepted with every state that the runs need", () => {
    expect([...parseDefinition(runsMachine).states.keys()]).toEqual([
      "Advance",
      "Next",
      "Await",
      "Sleep",
      "Lost",
      "Done",
      "Failed",
    ]);
  });

  it.each(["Map", "Parallel", "Unheard"])("is refused with a state of the type %s", (Type) => {
    expect(refusal(machine({ Odd: { Type, End: true } }))).toBe(
      `State 'Odd': the type '${Type}' does not run here`,
    );
  });

  it.each([
    "InputPath",
    "OutputPath",
    "ResultPath",
    "ResultSelector",
    "Parameters",
    "Credentials",
    "TimeoutSecondsPath",
  ])("is refused with the field %s, by its name", (field) => {
    const message = refusal(machine({ Do: task("do", { End: true, [field]: "$" }) }));
    expect(message).toContain("State 'Do'");
    expect(message).toContain(`'${field}'`);
  });

  it.each([
    [
      "another resource",
      { Do: task("do", { End: true, Resource: "arn:aws:states:::sqs:sendMessage" }) },
      "Resource",
    ],
    [
      "another argument",
      { Do: task("do", { End: true, Arguments: { FunctionName: "f", Qualifier: "1" } }) },
      "Arguments/Qualifier",
    ],
    ["JSONPath", { Do: { ...Done, QueryLanguage: "JSONPath" } }, "QueryLanguage"],
    [
      "a retrier field",
      { Do: task("do", { End: true, Retry: [{ ErrorEquals: ["a"], Odd: 1 }] }) },
      "Retry/0/Odd",
    ],
    [
      "a catcher field",
      { Do: task("do", { End: true, Catch: [{ ErrorEquals: ["a"], Next: "Do", ResultPath: "$" }] }) },
      "Catch/0/ResultPath",
    ],
    ["a timestamp", { Do: { Type: "Wait", Timestamp: "2030-01-01T00:00:00Z", End: true } }, "'Timestamp'"],
    ["a variable named states", { Do: { Type: "Pass", Assign: { states: 1 }, End: true } }, "Assign/states"],
    [
      "a heartbeat without a token",
      { Do: task("do", { End: true, HeartbeatSeconds: 5 }) },
      "HeartbeatSeconds",
    ],
    [
      "a token that is not passed on",
      { Do: { ...tokenTask("do", { End: true }), Arguments: { FunctionName: "f" } } },
      "Task.Token",
    ],
    [
      "an expression that does not parse",
      { Do: { Type: "Pass", Output: { a: ["{% 1 + %}"] }, End: true } },
      "Output/a[0]",
    ],
    ["an expression that is not closed", { Do: { Type: "Pass", Output: "{% 1", End: true } }, "'Output'"],
    ["neither Next nor End", { Do: { Type: "Pass" } }, "either Next or End"],
    ["both Next and End", { Do: { Type: "Pass", Next: "Do", End: true } }, "either Next or End"],
    ["a missing target", { Do: { Type: "Pass", Next: "Gone" } }, "no state 'Gone'"],
    [
      "a missing catch target",
      { Do: task("do", { End: true, Catch: [{ ErrorEquals: ["a"], Next: "Gone" }] }) },
      "no state 'Gone'",
    ],
    [
      "States.ALL before others",
      { Do: task("do", { End: true, Retry: [{ ErrorEquals: ["States.ALL"] }, { ErrorEquals: ["a"] }] }) },
      "alone and last",
    ],
    [
      "States.ALL beside others",
      { Do: task("do", { End: true, Retry: [{ ErrorEquals: ["States.ALL", "a"] }] }) },
      "alone and last",
    ],
  ])("is refused with %s", (_, states, part) => {
    expect(refusal(machine(states))).toContain(part);
  });

  it("is refused with unknown fields beside its states, or without JSONata", () => {
    expect(refusal(machine({ Done }, { ProcessorConfig: {} }))).toContain("'ProcessorConfig'");
    expect(refusal({ StartAt: "Done", States: { Done } })).toContain("QueryLanguage");
    expect(refusal(machine({ Done }, { StartAt: "Gone" }))).toContain("no state 'Gone'");
  });

  it("stops the start of the server when it is refused", async () => {
    const definition = machine({ Odd: { Type: "Map", End: true } });
    const invoke = async () => ({ ok: true, payload: null }) as const;
    await expect(startStepFunctions({ definition, stateMachineArn, invoke })).rejects.toMatchObject({
      name: "DefinitionError",
    });
  });
});
