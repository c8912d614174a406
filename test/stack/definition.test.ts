import { describe, expect, it } from "vitest";
import { ZodError } from "zod";
import { stateMachineDefinition, tableDefinition, tableTimeToLive } from "../../lib/definition.ts";
import { synthesize } from "../../lib/synthesize.ts";
import { onlyResource, parseTemplate, plain } from "../../lib/template.ts";

const template = await synthesize();

describe("what the laptop takes from the template", () => {
  it("is the table as CreateTable takes it, without its stream", () => {
    expect(tableDefinition(template, "local")).toEqual({
      TableName: "local",
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: ["pk", "sk", "due", "dueAt"].map((AttributeName) => ({
        AttributeName,
        AttributeType: "S",
      })),
      KeySchema: [
        { AttributeName: "pk", KeyType: "HASH" },
        { AttributeName: "sk", KeyType: "RANGE" },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: "due",
          KeySchema: [
            { AttributeName: "due", KeyType: "HASH" },
            { AttributeName: "dueAt", KeyType: "RANGE" },
          ],
          Projection: { ProjectionType: "KEYS_ONLY" },
        },
      ],
    });
    expect(tableTimeToLive(template)).toEqual({ AttributeName: "ttl", Enabled: true });
  });

  it("is a machine without CloudFormation's functions", () => {
    const text = JSON.stringify(stateMachineDefinition(template).definition);
    expect(text).not.toMatch(/Fn::|"Ref"|\$\{AWS::/);
    expect(text).toContain("arn:aws:states:::lambda:invoke");
  });

  it("is the same from the cache", async () => {
    expect(await synthesize()).toEqual(template);
  });
});

describe("reading a template", () => {
  it("turns functions into text", () => {
    expect(
      plain({
        a: { "Fn::Join": [":", ["arn", { Ref: "AWS::Partition" }, { Ref: "AWS::Region" }]] },
        b: [{ "Fn::GetAtt": ["Thing", "Arn"] }, { Ref: "Thing" }, 7, null],
      }),
    ).toEqual({ a: `arn:aws:\${AWS::Region}`, b: [`\${Thing.Arn}`, `\${Thing}`, 7, null] });
  });

  it("refuses a type that is there twice, or not at all", () => {
    const two = parseTemplate({ Resources: { A: { Type: "T" }, B: { Type: "T" } } });
    expect(() => onlyResource(two, "T")).toThrow("2 resources of type T");
    expect(() => onlyResource(two, "U")).toThrow("0 resources of type U");
  });

  it("refuses what is no template", () => {
    expect(() => parseTemplate({ resources: {} })).toThrow(ZodError);
  });
});
