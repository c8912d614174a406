import * as z from "zod";
import { executionArn, type Machine } from "./draft.ts";
import { ApiError } from "./errors.ts";
import type { Execution } from "./executions.ts";
import { bytesOf, maximumDataBytes, maximumTokenLength } from "./limits.ts";
import type { Operations } from "./operations.ts";
import { readPageToken, writePageToken } from "./paging.ts";
import { executionDetail, executionItem, historyItem, seconds } from "./render.ts";
import type { Store } from "./store.ts";

/** An operation of the API: takes the parsed request, answers with the response's body. */
export type ApiOperation = (request: unknown) => Promise<object>;

const arn = z.string().min(1).max(256);
const data = z.string().max(maximumDataBytes);
const taskToken = z.string().min(1).max(maximumTokenLength);
const error = z.string().max(256).optional();
const cause = z.string().max(32_768).optional();
const page = {
  maxResults: z.int().min(0).max(1000).default(100),
  nextToken: z.string().min(1).max(1024).optional(),
};
const status = z.enum(["RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED", "PENDING_REDRIVE"]);

/** The operations that are served, by the name in `X-Amz-Target: AWSStepFunctions.<name>`. */
export function createApi(options: {
  readonly store: Store;
  readonly machine: Machine;
  readonly operations: Operations;
}): ReadonlyMap<string, ApiOperation> {
  const { store, machine, operations } = options;

  async function find(requested: string): Promise<Execution> {
    const name = nameOf(requested, machine);
    await store.settled();
    const execution = store.executions.get(name);
    if (!execution) throw new ApiError("ExecutionDoesNotExist", `Execution Does Not Exist: '${requested}'`);
    return execution;
  }

  const startExecution = operation(
    z.object({ stateMachineArn: arn, name: z.string().optional(), input: data.default("{}") }),
    async (request) => {
      checkMachine(request.stateMachineArn, machine);
      checkInput(request.input);
      const head = await operations.start(request.name, request.input);
      return { executionArn: executionArn(machine, head.name), startDate: seconds(head.startDate) };
    },
  );

  const stopExecution = operation(z.object({ executionArn: arn, error, cause }), async (request) => {
    const { head } = await find(request.executionArn);
    const stopped = await operations.stop(head.name, request.error, request.cause);
    return { stopDate: seconds(stopped.stopDate ?? stopped.startDate) };
  });

  const describeExecution = operation(z.object({ executionArn: arn }), async (request) => {
    const { head } = await find(request.executionArn);
    return executionDetail(machine, head);
  });

  const listExecutions = operation(
    z.object({ stateMachineArn: arn, statusFilter: status.optional(), ...page }),
    async (request) => {
      checkMachine(request.stateMachineArn, machine);
      await store.settled();
      if (request.statusFilter === "PENDING_REDRIVE") return { executions: [] };
      const before = readPageToken(request.nextToken);
      const heads = store.executions.list({ before, status: request.statusFilter });
      const shown = heads.slice(0, pageSize(request.maxResults));
      const last = shown.at(-1);
      return {
        executions: shown.map((head) => executionItem(machine, head)),
        nextToken: last && shown.length < heads.length ? writePageToken(last.sequence) : undefined,
      };
    },
  );

  const getExecutionHistory = operation(
    z.object({
      executionArn: arn,
      reverseOrder: z.boolean().default(false),
      includeExecutionData: z.boolean().default(true),
      ...page,
    }),
    async (request) => {
      const { history } = await find(request.executionArn);
      const size = pageSize(request.maxResults);
      const from = readPageToken(request.nextToken) ?? (request.reverseOrder ? history.length : 1);
      const step = request.reverseOrder ? -1 : 1;
      const events: object[] = [];
      let id = from;
      for (; events.length < size; id += step) {
        const event = history[id - 1];
        if (!event) break;
        events.push(historyItem(event, id, request.includeExecutionData));
      }
      return { events, nextToken: history[id - 1] ? writePageToken(id) : undefined };
    },
  );

  const sendTaskSuccess = operation(z.object({ taskToken, output: data }), async (request) => {
    checkOutput(request.output);
    await operations.settle(request.taskToken, { kind: "success", output: request.output });
    return {};
  });

  const sendTaskFailure = operation(z.object({ taskToken, error, cause }), async (request) => {
    const verdict = { kind: "failure", error: request.error ?? "", cause: request.cause ?? "" } as const;
    await operations.settle(request.taskToken, verdict);
    return {};
  });

  const sendTaskHeartbeat = operation(z.object({ taskToken }), async (request) => {
    await operations.settle(request.taskToken, { kind: "heartbeat" });
    return {};
  });

  const describeStateMachine = operation(z.object({ stateMachineArn: arn }), async (request) => {
    checkMachine(request.stateMachineArn, machine);
    return {
      stateMachineArn: machine.stateMachineArn,
      name: machine.name,
      status: "ACTIVE",
      definition: store.current.source,
      roleArn: machine.roleArn,
      type: "STANDARD",
      creationDate: seconds(store.createdAt),
      loggingConfiguration: { level: "OFF", includeExecutionData: false },
      tracingConfiguration: { enabled: false },
    };
  });

  return new Map([
    ["StartExecution", startExecution],
    ["StopExecution", stopExecution],
    ["DescribeExecution", describeExecution],
    ["ListExecutions", listExecutions],
    ["GetExecutionHistory", getExecutionHistory],
    ["SendTaskSuccess", sendTaskSuccess],
    ["SendTaskFailure", sendTaskFailure],
    ["SendTaskHeartbeat", sendTaskHeartbeat],
    ["DescribeStateMachine", describeStateMachine],
  ]);
}

function operation<Request extends z.ZodType>(
  schema: Request,
  run: (request: z.output<Request>) => Promise<object>,
): ApiOperation {
  return async (request) => {
    const parsed = schema.safeParse(request);
    if (parsed.success) return run(parsed.data);
    const problems = parsed.error.issues.map(
      (issue) => `Value at '${issue.path.join(".")}': ${issue.message}`,
    );
    throw new ApiError(
      "ValidationException",
      `${problems.length} validation error detected: ${problems.join("; ")}`,
    );
  };
}

/** The execution's name in an ARN of this state machine. */
function nameOf(requested: string, machine: Machine): string {
  if (!/^arn:[^:]+:states:[^:]*:[^:]*:execution:[^:]+:[^:]+$/.test(requested)) {
    throw new ApiError("InvalidArn", `Invalid Arn: '${requested}'`);
  }
  const name = requested.slice(requested.lastIndexOf(":") + 1);
  if (executionArn(machine, name) === requested) return name;
  throw new ApiError("ExecutionDoesNotExist", `Execution Does Not Exist: '${requested}'`);
}

function checkMachine(requested: string, machine: Machine): void {
  if (requested === machine.stateMachineArn) return;
  if (!/^arn:[^:]+:states:[^:]*:[^:]*:stateMachine:/.test(requested)) {
    throw new ApiError("InvalidArn", `Invalid Arn: '${requested}'`);
  }
  throw new ApiError("StateMachineDoesNotExist", `State Machine Does Not Exist: '${requested}'`);
}

function checkInput(input: string): void {
  if (isJson(input) && bytesOf(input) <= maximumDataBytes) return;
  const reason = isJson(input) ? `it is over ${maximumDataBytes} bytes` : "it is not JSON";
  throw new ApiError("InvalidExecutionInput", `Invalid State Machine Execution Input: '${reason}'`);
}

function checkOutput(output: string): void {
  if (isJson(output) && bytesOf(output) <= maximumDataBytes) return;
  const reason = isJson(output) ? `it is over ${maximumDataBytes} bytes` : "it is not JSON";
  throw new ApiError("InvalidOutput", `Invalid Output: '${reason}'`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

// Zero stands for the default, as on AWS.
function pageSize(maxResults: number): number {
  return maxResults === 0 ? 100 : maxResults;
}
