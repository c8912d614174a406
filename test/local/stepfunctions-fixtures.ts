// Definitions for tests and for the processes that tests start.

export const stateMachineArn = "arn:aws:states:eu-central-1:123456789012:stateMachine:runs";

/** A task that calls a function of the test with the state's input. */
export function task(functionName: string, rest: object): object {
  return {
    Type: "Task",
    Resource: "arn:aws:states:::lambda:invoke",
    Arguments: { FunctionName: functionName, Payload: "{% $states.input %}" },
    Output: "{% $states.result.Payload %}",
    ...rest,
  };
}

/** A task that gives a function a token and waits for it. */
export function tokenTask(functionName: string, rest: object): object {
  return {
    Type: "Task",
    Resource: "arn:aws:states:::lambda:invoke.waitForTaskToken",
    Arguments: { FunctionName: functionName, Payload: { token: "{% $states.context.Task.Token %}" } },
    ...rest,
  };
}

/** A JSONata machine of the given states that begins with the first of them. */
export function machine(states: Record<string, object>, rest: object = {}): object {
  return { QueryLanguage: "JSONata", StartAt: Object.keys(states)[0], States: states, ...rest };
}

/** A Catch of errors by name that shows what it got, in the state Caught. */
export const caughtBy = (ErrorEquals: string[]) => ({
  Catch: [
    {
      ErrorEquals,
      Next: "Caught",
      Output: { error: "{% $states.errorOutput %}", input: "{% $states.input %}" },
    },
  ],
  End: true,
});
/** Where caught errors end. */
export const Caught = { Type: "Pass", End: true };

/** The shape of the machine that runs agents. */
export const runsMachine = machine(
  {
    Advance: {
      Type: "Task",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a partition that synthesis leaves open
      Resource: "arn:${AWS::Partition}:states:::lambda:invoke",
      Arguments: {
        FunctionName: "advance",
        Payload: {
          sessionId: "{% $states.input.sessionId %}",
          runId: "{% $states.input.runId %}",
          stateMachineArn: "{% $states.context.StateMachine.Id %}",
          executionName: "{% $states.context.Execution.Name %}",
          cycle: "{% $states.input.cycle %}",
        },
      },
      Output: "{% $states.result.Payload %}",
      TimeoutSeconds: 900,
      Retry: [
        {
          ErrorEquals: ["Lambda.TooManyRequestsException"],
          IntervalSeconds: 1,
          MaxAttempts: 6,
          BackoffRate: 2,
          MaxDelaySeconds: 20,
          JitterStrategy: "FULL",
        },
      ],
      Catch: [
        {
          ErrorEquals: ["States.ALL"],
          Next: "Lost",
          Output: { sessionId: "{% $states.input.sessionId %}", lost: "{% $states.errorOutput.Error %}" },
        },
      ],
      Next: "Next",
    },
    Next: {
      Type: "Choice",
      Comment: "where to go on",
      Choices: [
        { Condition: "{% $states.input.next = 'wait' %}", Next: "Await" },
        { Condition: "{% $states.input.next = 'continue' %}", Next: "Advance" },
        { Condition: "{% $states.input.next = 'sleep' %}", Next: "Sleep" },
      ],
      Default: "Done",
    },
    Await: {
      Type: "Task",
      Resource: "arn:aws:states:::lambda:invoke.waitForTaskToken",
      Arguments: {
        FunctionName: "park",
        Payload: { sessionId: "{% $states.input.sessionId %}", token: "{% $states.context.Task.Token %}" },
      },
      TimeoutSeconds: "{% $states.input.waitSeconds %}",
      Catch: [
        {
          ErrorEquals: ["States.Timeout"],
          Next: "Advance",
          Output: "{% $merge([$states.input, {'cycle': 'due'}]) %}",
        },
        { ErrorEquals: ["States.ALL"], Next: "Lost", Output: { lost: "{% $states.errorOutput.Error %}" } },
      ],
      Next: "Advance",
    },
    Sleep: { Type: "Wait", Seconds: "{% $states.input.waitSeconds %}", Next: "Advance" },
    Lost: task("lost", { Next: "Failed" }),
    Done: { Type: "Succeed" },
    Failed: { Type: "Fail", Error: "RunLost", Cause: "{% 'lost: ' & $states.input %}" },
  },
  { Comment: "one execution a run", TimeoutSeconds: 86_400 },
);
