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
  const start = async (name: string, { sessionId, runId, leg }: Carried): Promise<boolean> => {
    const input = JSON.stringify({ sessionId, runId, leg, cycle: 0 });
    try {
      // Of one that runs, started with the same input, the answer is that of its start.
      await client.send(new StartExecutionCommand({ stateMachineArn, name, input }));
      return true;
    } catch (error) {
      if (error instanceof ExecutionAlreadyExists) return false;
      throw error;
    }
  };
  return {
    start: (run) => start(executionName(run.runId, run.leg), run),
    watch: async (run) => {
      await start(watchName(run.runId), run);
    },
    wake: async (taskToken) => {
      try {
        await client.send(new SendTaskSuccessCommand({ taskToken, output: "{}" }));
        return true;
      } catch (error) {
        const settled =
          error instanceof TaskDoesNotExist || error instanceof TaskTimedOut || error instanceof InvalidToken;
        if (settled) return false;
        throw error;
      }
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
