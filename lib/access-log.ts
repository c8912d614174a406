import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";

/**
 * One JSON line a request. The path holds ids; headers and query string, where a credential or an
 * end user's word might stand, are left out.
 */
export const accessLog = AccessLogFormat.custom(
  JSON.stringify({
    requestId: "$context.requestId",
    time: "$context.requestTimeEpoch",
    ip: "$context.identity.sourceIp",
    /** Of an operator. */
    caller: "$context.identity.userArn",
    method: "$context.httpMethod",
    route: "$context.resourcePath",
    path: "$context.path",
    status: "$context.status",
    bytes: "$context.responseLength",
    latencyMs: "$context.responseLatency",
    integrationMs: "$context.integrationLatency",
    /** What API Gateway answered by itself, if it did. */
    gatewayResponse: "$context.error.responseType",
    traceId: "$context.xrayTraceId",
  }),
);
