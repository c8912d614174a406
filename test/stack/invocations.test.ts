import { describe, expect, it } from "vitest";
import * as z from "zod";
import { onlyResource, resourcesOfType } from "../../lib/template.ts";
import { permissionsOf, readable } from "./readable.ts";
import { templateUnderTest } from "./template-under-test.ts";

const template = await templateUnderTest();

/** A permission without a source, or with one more condition, is none of these. */
const permissionSchema = z.strictObject({
  Action: z.literal("lambda:InvokeFunction"),
  FunctionName: z.string(),
  Principal: z.string(),
  SourceArn: z.string(),
});
const permissions = resourcesOfType(template, "AWS::Lambda::Permission").map(([, { Properties }]) => {
  const { Principal, SourceArn, FunctionName } = permissionSchema.parse(readable(Properties));
  return `${Principal} for ${SourceArn}: ${FunctionName.replace(/\.Arn$/, "")}`;
});

const stage = "arn:aws:execute-api:<Region>:<AccountId>:HttpRestApi/HttpRestApiDeploymentStageapi";

const targetSchema = z.array(z.looseObject({ Arn: z.string(), RoleArn: z.string().optional() }));
const rules = new Map(
  resourcesOfType(template, "AWS::Events::Rule").map(([id, { Properties }]) => [
    readable(`\${${id}}`),
    targetSchema.parse(readable(Properties["Targets"])),
  ]),
);

const roleSchema = z.object({ AssumeRolePolicyDocument: z.object({ Statement: z.unknown() }) });
const trustOf = (role: string): unknown => {
  const found = resourcesOfType(template, "AWS::IAM::Role").find(([id]) => readable(`\${${id}}`) === role);
  return roleSchema.parse(readable(found?.[1].Properties)).AssumeRolePolicyDocument.Statement;
};

describe("invocations", () => {
  it("are allowed to each route of this API's stage and to each rule, for its own function only", () => {
    expect(permissions.sort()).toEqual([
      `apigateway.amazonaws.com for ${stage}/*/aws/*: HttpApi`,
      `apigateway.amazonaws.com for ${stage}/*/v1/*: HttpApi`,
      `apigateway.amazonaws.com for ${stage}/GET/aws/v1/sessions/*/events/stream: HttpStream`,
      `apigateway.amazonaws.com for ${stage}/GET/v1/sessions/*/events/stream: HttpStream`,
      "events.amazonaws.com for UpkeepEveryMinute.Arn: UpkeepSweep",
      "events.amazonaws.com for UpkeepFailedExecutions.Arn: RunsLost",
    ]);
  });

  it("by rules go to one function each, which allows the rule instead of lending it a role", () => {
    const targets = [...rules].map(([rule, all]) => [rule, all.map(({ Arn, RoleArn }) => [Arn, RoleArn])]);
    expect(Object.fromEntries(targets)).toEqual({
      UpkeepEveryMinute: [["UpkeepSweep.Arn", undefined]],
      UpkeepFailedExecutions: [["RunsLost.Arn", undefined]],
    });
    for (const [, { Properties }] of resourcesOfType(template, "AWS::Events::Rule"))
      expect(Properties["State"]).toBe("ENABLED");
  });

  it("by the state machine are allowed to its own role, of three functions and no other", () => {
    const [, machine] = onlyResource(template, "AWS::StepFunctions::StateMachine");
    expect(readable(machine.Properties["RoleArn"])).toBe("RunsMachineRole.Arn");
    const allowed = Object.entries(permissionsOf(template, "RunsMachineRole"));
    const invoked = allowed.filter(([, actions]) => actions.some((action) => action.startsWith("lambda:")));
    expect(Object.fromEntries(invoked)).toEqual({
      "RunsAdvance.Arn": ["lambda:InvokeFunction"],
      "RunsAwait.Arn": ["lambda:InvokeFunction"],
      "RunsLost.Arn": ["lambda:InvokeFunction"],
    });
    const others = allowed.filter((entry) => !invoked.includes(entry));
    expect(others.map(([resource]) => resource)).toEqual(["*"]);
    for (const action of others.flatMap(([, actions]) => actions)) expect(action).toMatch(/^(logs|xray):/);
  });

  it("let nobody but Step Functions, for a machine of this account, take the machine's role", () => {
    expect(trustOf("RunsMachineRole")).toEqual([
      {
        Action: "sts:AssumeRole",
        Effect: "Allow",
        Principal: { Service: "states.amazonaws.com" },
        Condition: {
          StringEquals: { "aws:SourceAccount": "<AccountId>" },
          ArnLike: { "aws:SourceArn": "arn:aws:states:<Region>:<AccountId>:stateMachine:*" },
        },
      },
    ]);
  });

  it("that EventBridge gives up reach the queue, from the rule that names it", () => {
    const [, policy] = onlyResource(template, "AWS::SQS::QueuePolicy");
    const { Statement } = z
      .object({ Statement: z.array(z.looseObject({ Effect: z.string() })) })
      .parse(readable(policy.Properties["PolicyDocument"]));
    expect(Statement.filter(({ Effect }) => Effect === "Allow")).toEqual([
      expect.objectContaining({
        Action: "sqs:SendMessage",
        Principal: { Service: "events.amazonaws.com" },
        Resource: "DeadLettersQueue.Arn",
        Condition: { ArnEquals: { "aws:SourceArn": "UpkeepFailedExecutions.Arn" } },
      }),
    ]);
  });
});
