import { SFNClient } from "@aws-sdk/client-sfn";
import { createExecutions } from "../../adapters/aws/executions.ts";
import type { Executions } from "../../core/ports/executions.ts";
import { startStepFunctions } from "../../local/stepfunctions/index.ts";

const stateMachineArn = "arn:aws:states:us-east-1:000000000000:stateMachine:holding";

/** Stays where it is for longer than anybody looks. */
const definition = {
  QueryLanguage: "JSONata",
  StartAt: "Hold",
  States: { Hold: { Type: "Wait", Seconds: 86_400, End: true } },
};

export type Holding = Executions & {
  /** How often an execution was described. */
  readonly described: () => number;
  readonly close: () => Promise<void>;
};

/** An engine whose executions run and do nothing. */
export async function startHolding(): Promise<Holding> {
  const engine = await startStepFunctions({
    definition,
    stateMachineArn,
    invoke: async () => ({ ok: true, payload: null }),
  });
  const client = new SFNClient({
    endpoint: engine.url,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  const executions = createExecutions({ client, stateMachineArn });
  let described = 0;
  return {
    ...executions,
    status: (runId, leg) => {
      described += 1;
      return executions.status(runId, leg);
    },
    described: () => described,
    close: async () => {
      client.destroy();
      await engine.close();
    },
  };
}
