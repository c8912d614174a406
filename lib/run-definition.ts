/**
 * The state machine of a run, in Amazon States Language. It carries ids, never content. A text run is
 * Advance, Next, Done: five transitions with the start and the end.
 */

/** ARNs of the functions that the machine invokes. */
export type RunFunctions = { readonly advance: string; readonly await: string; readonly lost: string };

/** Lambda's own limit; `advance` leaves in good time before it. */
export const advanceSeconds = 900;

/** The function's time and a minute for the invocation itself: it ends only what no longer answers. */
const advanceTaskSeconds = advanceSeconds + 60;

/**
 * Errors that say that the function did not run. Anything else may have run, and a turn that may have
 * run is not run again: it is lost, and says so.
 */
const didNotRun = [
  "Lambda.TooManyRequestsException",
  "Lambda.ResourceConflictException",
  "Lambda.ResourceNotReadyException",
];

/**
 * Waits of at most 1, 2, 4, 8, 16 and 32 s (63 s), then 6 of at most 60 s: about 7 minutes of throttling
 * are sat out. With jitter half of that on average. 12 attempts are 36 events of the 25,000.
 */
const retryThrottled = {
  ErrorEquals: didNotRun,
  IntervalSeconds: 1,
  BackoffRate: 2,
  MaxDelaySeconds: 60,
  MaxAttempts: 12,
  JitterStrategy: "FULL",
};

/** For what may safely run twice: the same waits, after any error that `ErrorEquals` matches. */
const retryAfter = (error: string) => ({ ...retryThrottled, ErrorEquals: [error] });

const toLost = {
  ErrorEquals: ["States.ALL"],
  Output: '{% $merge([$states.input, {"error": $states.errorOutput}]) %}',
  Next: "Lost",
};

const run = {
  sessionId: "{% $states.input.sessionId %}",
  runId: "{% $states.input.runId %}",
  leg: "{% $states.input.leg %}",
};

const advance = (invoke: string, functionArn: string) => ({
  Type: "Task",
  Resource: invoke,
  Arguments: {
    FunctionName: functionArn,
    Payload: {
      ...run,
      cycle: "{% $states.input.cycle %}",
      // From the execution itself, so that the next one is started where this one runs.
      stateMachineArn: "{% $states.context.StateMachine.Id %}",
      executionName: "{% $states.context.Execution.Name %}",
    },
  },
  Output: "{% $states.result.Payload %}",
  TimeoutSeconds: advanceTaskSeconds,
  Retry: [retryThrottled],
  Catch: [toLost],
  Next: "Next",
});

const next = {
  Type: "Choice",
  Choices: [
    { Condition: "{% $states.input.next = 'wait' %}", Next: "Await" },
    { Condition: "{% $states.input.next = 'continue' %}", Next: "Advance" },
    { Condition: "{% $states.input.next = 'rest' %}", Next: "Rest" },
  ],
  Default: "Done",
};

/** Storing a token twice is harmless: the later one counts. `States.TaskFailed` is any error but the timeout. */
const awaitCalls = (invoke: string, functionArn: string) => ({
  Type: "Task",
  Resource: `${invoke}.waitForTaskToken`,
  Arguments: {
    FunctionName: functionArn,
    Payload: { ...run, seen: "{% $states.input.seen %}", token: "{% $states.context.Task.Token %}" },
  },
  Output: '{% $merge([$states.input, {"next": "continue"}]) %}',
  TimeoutSeconds: "{% $states.input.seconds %}",
  Retry: [retryAfter("States.TaskFailed")],
  Catch: [{ ErrorEquals: ["States.Timeout"], Output: "{% $states.input %}", Next: "Advance" }, toLost],
  Next: "Advance",
});

/** Until the next call of an interrupted run expires. There is nobody to be woken: a stop finds the calls itself. */
const rest = { Type: "Wait", Seconds: "{% $states.input.seconds %}", Next: "Advance" };

/** Marking a run as interrupted twice is marking it once. */
const lost = (invoke: string, functionArn: string) => ({
  Type: "Task",
  Resource: invoke,
  Arguments: { FunctionName: functionArn, Payload: { ...run, error: "{% $states.input.error %}" } },
  Retry: [retryAfter("States.ALL")],
  Next: "Failed",
});

/** `invoke` is the resource of the Lambda integration, `arn:<partition>:states:::lambda:invoke`. */
export const runDefinition = (invoke: string, functions: RunFunctions) => ({
  Comment: "One run of a session",
  QueryLanguage: "JSONata",
  StartAt: "Advance",
  States: {
    Advance: advance(invoke, functions.advance),
    Next: next,
    Await: awaitCalls(invoke, functions.await),
    Rest: rest,
    Lost: lost(invoke, functions.lost),
    // Failed, so that a lost run is counted and listed where operators look. The rule that watches for
    // failed executions marks the run once more, which changes nothing.
    Failed: {
      Type: "Fail",
      Error: "RunLost",
      Cause: "The run could not go on and was marked as interrupted.",
    },
    Done: { Type: "Succeed" },
  },
});
