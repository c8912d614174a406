import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  InvalidToken,
  SendTaskSuccessCommand,
  type SFNClient,
  StartExecutionCommand,
  TaskDoesNotExist,
  TaskTimedOut,
} from "@aws-sdk/client-sfn";
import {
  type Carried,
  type ExecutionStatus,
  type Executions,
  executionName,
  watchName,
} from "../../core/ports/executions.ts";

/** Executions of the state machine. Its input holds ids only. */
export function createExecutions(options: {
  readonly client: SFNClient;
  readonly stateMachineArn: string;
}): Executions {
  const { client, stateMachineArn } = options;
  const start = async (name: string, { sessionId, runId, leg }: Carried): Promise<void> => {
    const input = JSON.stringify({ sessionId, runId, leg, cycle: 0 });
    await client.send(new StartExecutionCommand({ stateMachineArn, name, input })).catch((error: unknown) => {
      if (!(error instanceof ExecutionAlreadyExists)) throw error;
    });
  };
  return {
    start: (run) => start(executionName(run.runId, run.leg), run),
    watch: (run) => start(watchName(run.runId), run),
    wake: async (taskToken) => {
      await client.send(new SendTaskSuccessCommand({ taskToken, output: "{}" })).catch((error: unknown) => {
        const settled =
          error instanceof TaskDoesNotExist || error instanceof TaskTimedOut || error instanceof InvalidToken;
        if (!settled) throw error;
      });
    },
    status: async (runId, leg) => {
      const executionArn = `${stateMachineArn.replace(":stateMachine:", ":execution:")}:${executionName(runId, leg)}`;
      try {
        const { status } = await client.send(new DescribeExecutionCommand({ executionArn }));
        return status === "RUNNING" || status === "PENDING_REDRIVE" ? "running" : "ended";
      } catch (error) {
        if (error instanceof ExecutionDoesNotExist) return "missing" satisfies ExecutionStatus;
        throw error;
      }
    },
  };
}
