import { ResponseType, type RestApi } from "aws-cdk-lib/aws-apigateway";
import { type ErrorCode, errorBody, errors } from "../contract/errors.ts";

type Answer = {
  readonly code: ErrorCode;
  /** In place of the code's own message. */
  readonly message?: string;
  /** Extra headers in API Gateway's spelling: a literal stands in single quotes. */
  readonly headers?: Readonly<Record<string, string>>;
};

const retryLater = { "retry-after": "'1'" };

/**
 * What API Gateway answers by itself, by the name it gives the case; no message of its own gets out. What has no
 * name but DEFAULT_4XX are credentials that AWS does not know and signatures that are none: every other fault of a
 * request has a line here. The rest is ours (DEFAULT_5XX).
 */
const answers: readonly (readonly [ResponseType, Answer])[] = [
  [
    ResponseType.DEFAULT_4XX,
    {
      code: "unauthorized",
      message:
        "The request has no valid AWS credentials. Sign it with live ones below /aws; elsewhere, check the path.",
    },
  ],
  [ResponseType.INVALID_API_KEY, { code: "unauthorized" }],
  [ResponseType.DEFAULT_5XX, { code: "internal_error" }],
  [
    // The name misleads: it stands for every path and method that is not routed.
    ResponseType.MISSING_AUTHENTICATION_TOKEN,
    {
      code: "not_found",
      message: "Nothing is at this path. Check it; below /aws, requests are signed with AWS credentials.",
    },
  ],
  [ResponseType.RESOURCE_NOT_FOUND, { code: "not_found" }],
  [ResponseType.UNAUTHORIZED, { code: "unauthorized" }],
  [
    ResponseType.EXPIRED_TOKEN,
    { code: "unauthorized", message: "The AWS credentials have expired. Renew them." },
  ],
  [
    ResponseType.INVALID_SIGNATURE,
    {
      code: "unauthorized",
      message: "The AWS signature does not fit the request. Check credentials and clock.",
    },
  ],
  [ResponseType.ACCESS_DENIED, { code: "forbidden" }],
  [ResponseType.WAF_FILTERED, { code: "forbidden" }],
  [ResponseType.THROTTLED, { code: "rate_limited", headers: retryLater }],
  [ResponseType.QUOTA_EXCEEDED, { code: "rate_limited", headers: retryLater }],
  [ResponseType.REQUEST_TOO_LARGE, { code: "request_too_large" }],
  [ResponseType.UNSUPPORTED_MEDIA_TYPE, { code: "unsupported_media_type" }],
  [ResponseType.BAD_REQUEST_PARAMETERS, { code: "invalid_parameter" }],
  [ResponseType.BAD_REQUEST_BODY, { code: "invalid_request" }],
  [ResponseType.INTEGRATION_FAILURE, { code: "internal_error" }],
  [ResponseType.INTEGRATION_TIMEOUT, { code: "internal_error" }],
];

/** Puts what API Gateway answers by itself into the API's envelope, with the API's statuses. */
export const addGatewayResponses = (api: RestApi): void => {
  for (const [type, { code, message = "", headers }] of answers)
    api.addGatewayResponse(type.responseType, {
      type,
      statusCode: String(errors[code].status),
      responseHeaders: { "x-request-id": "context.requestId", ...headers },
      templates: { "application/json": JSON.stringify(errorBody(code, message, "$context.requestId")) },
    });
};
