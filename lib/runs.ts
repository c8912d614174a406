import { ArnFormat, Aws, Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { DefinitionBody, LogLevel, StateMachine } from "aws-cdk-lib/aws-stepfunctions";
import { Construct } from "constructs";
import { env } from "../contract/env.ts";
import type { BlobBucket } from "./bucket.ts";
import { allow, handler } from "./function.ts";
import { acceptWildcard } from "./nag.ts";
import { advanceSeconds, type RunFunctions, runDefinition } from "./run-definition.ts";
import type { Settings } from "./settings.ts";
import type { SessionTable } from "./table.ts";
import type { Vault } from "./vault.ts";

export type RunsProps = {
  readonly settings: Settings;
  readonly table: SessionTable;
  readonly blobs: BlobBucket;
  readonly vault: Vault;
};

/** What a function outside of the machine may do with executions. */
export const executionActions = {
  start: "states:StartExecution",
  wake: "states:SendTaskSuccess",
  describe: "states:DescribeExecution",
} as const;

export type ExecutionAccess = keyof typeof executionActions;

/** Runs: one execution of the state machine each, and the functions that it invokes. */
export class Runs extends Construct {
  readonly machine: StateMachine;
  /** What the machine invokes. `lost` marks a run as interrupted. */
  readonly functions: Readonly<Record<"advance" | "await" | "lost", LambdaFunction>>;
  /**
   * The machine's name is fixed, so that the functions it invokes can be allowed to use it by name:
   * a reference to the machine from a function that the machine refers to would be a circle.
   */
  private readonly machineName: string;

  constructor(scope: Construct, id: string, props: RunsProps) {
    super(scope, id);
    this.machineName = `${Stack.of(this).stackName}-runs`;
    const functions = { advance: this.advance(props), await: this.await(props), lost: this.lost(props) };
    this.functions = functions;
    this.machine = this.stateMachine(props.settings, Object.values(functions), {
      advance: functions.advance.functionArn,
      await: functions.await.functionArn,
      lost: functions.lost.functionArn,
    });
  }

  /** Tells a function outside of the machine its ARN, and lets it do what is named. */
  bind(fn: LambdaFunction, access: readonly ExecutionAccess[]): void {
    fn.addEnvironment(env.stateMachine, this.machine.stateMachineArn);
    for (const what of access) {
      if (what === "describe") this.allowDescribe(fn);
      else allow(fn, [executionActions[what]], [this.machine.stateMachineArn]);
    }
  }

  /** The same for a function that the machine invokes. */
  private bindByName(fn: LambdaFunction, access: "start" | "wake"): void {
    const machine = this.arn("stateMachine", this.machineName);
    fn.addEnvironment(env.stateMachine, machine);
    allow(fn, [executionActions[access]], [machine]);
  }

  private allowDescribe(fn: LambdaFunction): void {
    const executions = this.arn("execution", `${this.machineName}:*`);
    allow(fn, [executionActions.describe], [executions]);
    acceptWildcard(
      fn.role ?? fn,
      `Resource::arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:${this.machineName}:*`,
      "The last part is the execution's name, which is the id of a run.",
    );
  }

  private arn(resource: string, resourceName: string): string {
    return Stack.of(this).formatArn({
      service: "states",
      resource,
      resourceName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  }

  /** The turn engine. CPU counts: a script runs in it. */
  private advance({ settings, table, blobs, vault }: RunsProps): LambdaFunction {
    const fn = handler(this, "advance", {
      description: "Runs the turns of a session",
      memorySize: 1024,
      timeout: Duration.seconds(advanceSeconds),
      settings,
    });
    fn.addEnvironment(env.openaiBaseUrl, settings.openaiBaseUrl);
    fn.addEnvironment(env.anthropicBaseUrl, settings.anthropicBaseUrl);
    fn.addEnvironment(env.toolResultSeconds, String(settings.toolResultSeconds));
    fn.addEnvironment(env.scriptCpuMs, String(settings.scriptCpuMs));
    table.bind(fn, "readWrite");
    blobs.bind(fn, "readWrite", ["sessions"]);
    blobs.bind(fn, "read", ["agents"]);
    vault.bindOpen(fn);
    // The next run of the session, or the same one when its history nears the limit.
    this.bindByName(fn, "start");
    return fn;
  }

  /** Stores a task token: two requests of milliseconds. 15 s leave room for a cold start and retries of both. */
  private await({ settings, table, blobs }: RunsProps): LambdaFunction {
    const fn = handler(this, "await", {
      description: "Stores where a waiting run is to be woken",
      memorySize: 256,
      timeout: Duration.seconds(15),
      settings,
    });
    table.bind(fn, "readWrite");
    blobs.name(fn);
    // What it would wait for may have come already.
    this.bindByName(fn, "wake");
    return fn;
  }

  private lost({ settings, table, blobs }: RunsProps): LambdaFunction {
    const fn = handler(this, "lost", {
      description: "Marks a run that cannot go on as interrupted",
      memorySize: 256,
      timeout: Duration.seconds(30),
      settings,
    });
    table.bind(fn, "readWrite");
    blobs.name(fn);
    return fn;
  }

  private stateMachine(
    settings: Settings,
    functions: readonly LambdaFunction[],
    arns: RunFunctions,
  ): StateMachine {
    const definition = runDefinition(`arn:${Aws.PARTITION}:states:::lambda:invoke`, arns);
    const machine = new StateMachine(this, "Machine", {
      stateMachineName: this.machineName,
      definitionBody: DefinitionBody.fromString(Stack.of(this).toJsonString(definition)),
      tracingEnabled: true,
      logs: {
        // The prefix keeps the log group out of the account's resource policy, whose size is limited.
        destination: new LogGroup(this, "MachineLogs", {
          logGroupName: `/aws/vendedlogs/states/${this.machineName}`,
          retention: settings.logRetentionDays,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
        level: LogLevel.ALL,
        includeExecutionData: false,
      },
    });
    machine.addToRolePolicy(
      new PolicyStatement({
        actions: ["lambda:InvokeFunction"],
        resources: functions.map((fn) => fn.functionArn),
      }),
    );
    acceptWildcard(machine.role, "Resource::*", "Log delivery and X-Ray know no narrower resource.");
    return machine;
  }
}
