import { describe, expect, it } from "vitest";
import * as z from "zod";
import { errors } from "../../contract/errors.ts";
import { onlyResource, type Resource, resourcesOfType } from "../../lib/template.ts";
import { readable } from "./readable.ts";
import { templateUnderTest } from "./template-under-test.ts";

const template = await templateUnderTest();

const nodeSchema = z.object({ ParentId: z.string(), PathPart: z.string() });
const methodSchema = z.object({
  HttpMethod: z.string(),
  AuthorizationType: z.string(),
  ResourceId: z.string(),
  Integration: z.record(z.string(), z.unknown()),
});

const nodes = new Map(
  resourcesOfType(template, "AWS::ApiGateway::Resource").map(([id, { Properties }]) => [
    String(readable(`\${${id}}`)),
    nodeSchema.parse(readable(Properties)),
  ]),
);
const pathOf = (id: string): string => {
  const node = nodes.get(id);
  return node === undefined ? "" : `${pathOf(node.ParentId)}/${node.PathPart}`;
};
const methods = new Map(
  resourcesOfType(template, "AWS::ApiGateway::Method").map(([, { Properties }]) => {
    const method = methodSchema.parse(readable(Properties));
    return [`${method.HttpMethod} ${pathOf(method.ResourceId)}`, method];
  }),
);

const gatewayResponses = new Map(
  resourcesOfType(template, "AWS::ApiGateway::GatewayResponse").map(([, { Properties }]) => [
    Properties["ResponseType"],
    Properties,
  ]),
);
const bodyOf = (properties: Resource["Properties"] | undefined): unknown =>
  JSON.parse(
    z.object({ "application/json": z.string() }).parse(properties?.["ResponseTemplates"])["application/json"],
  );
const envelopeSchema = z.strictObject({
  error: z.strictObject({
    code: z.enum(Object.keys(errors)),
    message: z.string().min(1),
    request_id: z.literal("$context.requestId"),
  }),
});

describe("HTTP API", () => {
  it("routes everything below both roots, with AWS credentials below /aws only", () => {
    const routes = [...methods].map(([route, { AuthorizationType }]) => [route, AuthorizationType]);
    expect(Object.fromEntries(routes)).toEqual({
      "ANY /v1/{proxy+}": "NONE",
      "GET /v1/sessions/{session_id}/events/stream": "NONE",
      "ANY /aws/{proxy+}": "AWS_IAM",
      "GET /aws/v1/sessions/{session_id}/events/stream": "AWS_IAM",
    });
  });

  it.each(["/v1", "/aws/v1"])("streams events below %s for up to 15 minutes", (root) => {
    expect(methods.get(`GET ${root}/sessions/{session_id}/events/stream`)?.Integration).toMatchObject({
      Type: "AWS_PROXY",
      ResponseTransferMode: "STREAM",
      TimeoutInMillis: 900_000,
      Uri: "arn:aws:apigateway:<Region>:lambda:path/2021-11-15/functions/HttpStream.Arn/response-streaming-invocations",
    });
  });

  it.each(["/v1", "/aws"])("answers everything else below %s in one piece", (root) => {
    expect(methods.get(`ANY ${root}/{proxy+}`)?.Integration).toMatchObject({
      Type: "AWS_PROXY",
      TimeoutInMillis: 29_000,
      Uri: "arn:aws:apigateway:<Region>:lambda:path/2015-03-31/functions/HttpApi.Arn/invocations",
    });
  });

  it("is regional, and its base URL ends in /v1", () => {
    const [, api] = onlyResource(template, "AWS::ApiGateway::RestApi");
    expect(api.Properties["EndpointConfiguration"]).toEqual({ Types: ["REGIONAL"] });
    expect(readable(template.Outputs["BaseUrl"]?.Value)).toMatch(
      /^https:\/\/HttpRestApi\.execute-api\..*\/v1$/,
    );
    expect(readable(template.Outputs["OperatorUrl"]?.Value)).toMatch(/\/aws\/v1$/);
  });

  it("hands bodies on as the bytes that came", () => {
    const [, api] = onlyResource(template, "AWS::ApiGateway::RestApi");
    expect(api.Properties["BinaryMediaTypes"]).toEqual(["*/*"]);
  });

  it("gives its own answers in the API's envelope with the code's status and a request id", () => {
    expect(gatewayResponses.size).toBe(18);
    for (const properties of gatewayResponses.values()) {
      const { error } = envelopeSchema.parse(bodyOf(properties));
      const code = z.enum(Object.keys(errors) as [keyof typeof errors]).parse(error.code);
      expect(properties["StatusCode"]).toBe(String(errors[code].status));
      expect(properties["ResponseParameters"]).toMatchObject({
        "gatewayresponse.header.x-request-id": "context.requestId",
      });
    }
  });

  it.each([
    // Credentials that AWS does not know have no name of their own.
    ["DEFAULT_4XX", "401", "unauthorized"],
    ["BAD_REQUEST_BODY", "400", "invalid_request"],
    ["DEFAULT_5XX", "500", "internal_error"],
    ["MISSING_AUTHENTICATION_TOKEN", "404", "not_found"],
    ["UNAUTHORIZED", "401", "unauthorized"],
    ["INVALID_SIGNATURE", "401", "unauthorized"],
    ["EXPIRED_TOKEN", "401", "unauthorized"],
    ["ACCESS_DENIED", "403", "forbidden"],
    ["THROTTLED", "429", "rate_limited"],
    ["QUOTA_EXCEEDED", "429", "rate_limited"],
    ["REQUEST_TOO_LARGE", "400", "request_too_large"],
    ["UNSUPPORTED_MEDIA_TYPE", "415", "unsupported_media_type"],
    ["INTEGRATION_TIMEOUT", "500", "internal_error"],
    ["INTEGRATION_FAILURE", "500", "internal_error"],
  ])("answers %s with %s %s", (type, status, code) => {
    expect(gatewayResponses.get(type)?.["StatusCode"]).toBe(status);
    expect(bodyOf(gatewayResponses.get(type))).toMatchObject({ error: { code } });
  });

  it.each(["THROTTLED", "QUOTA_EXCEEDED"])("tells with %s when to come back", (type) => {
    expect(gatewayResponses.get(type)?.["ResponseParameters"]).toMatchObject({
      "gatewayresponse.header.retry-after": "'1'",
    });
  });

  it("throttles the stage and logs errors without headers or bodies", () => {
    const [, stage] = onlyResource(template, "AWS::ApiGateway::Stage");
    expect(stage.Properties["MethodSettings"]).toEqual([
      {
        HttpMethod: "*",
        ResourcePath: "/*",
        ThrottlingRateLimit: 200,
        ThrottlingBurstLimit: 400,
        LoggingLevel: "ERROR",
        DataTraceEnabled: false,
      },
    ]);
  });

  it("logs a JSON line a request that holds neither headers nor the query string", () => {
    const [, stage] = onlyResource(template, "AWS::ApiGateway::Stage");
    const { Format } = z.object({ Format: z.string() }).parse(stage.Properties["AccessLogSetting"]);
    expect(Object.values(z.record(z.string(), z.string()).parse(JSON.parse(Format))).sort()).toEqual([
      "$context.error.responseType",
      "$context.httpMethod",
      "$context.identity.sourceIp",
      "$context.identity.userArn",
      "$context.integrationLatency",
      "$context.path",
      "$context.requestId",
      "$context.requestTimeEpoch",
      "$context.resourcePath",
      "$context.responseLatency",
      "$context.responseLength",
      "$context.status",
      "$context.xrayTraceId",
    ]);
  });
});
