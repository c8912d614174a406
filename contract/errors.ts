/**
 * Every code an HTTP error can carry, with its status and the message used when a handler has no better one.
 * Clients branch on the code; the message is for people and may change.
 */

type ErrorEntry = { readonly status: number; readonly message: string };

const referenceErrors = {
  invalid_request: {
    status: 400,
    message: "The body does not fit this operation. Compare it with the operation's schema.",
  },
  invalid_json: { status: 400, message: "The body could not be parsed. Send well-formed JSON." },
  request_too_large: { status: 400, message: "The JSON body is too large. Send less in one request." },
  invalid_parameter: {
    status: 400,
    message: "A path, query or header parameter has a value outside its schema. Correct it.",
  },
  invalid_cursor: {
    status: 400,
    message: "The cursor is not one that this endpoint and filter issued. Start again without it.",
  },
  conflicting_cursor: {
    status: 400,
    message: "`after` and `Last-Event-ID` differ. Send one of them, or the same value in both.",
  },
  invalid_model: {
    status: 400,
    message: "The model is not a registered one. Choose a registered openai/ or anthropic/ model.",
  },
  model_api_key_provider_mismatch: {
    status: 400,
    message:
      "The model API key is for a different provider than the model. Select a key of the model's provider.",
  },
  invalid_tools: {
    status: 400,
    message:
      "Two tools share a name, or a function takes a built-in's name. Give every tool a name of its own.",
  },
  invalid_schema: {
    status: 400,
    message:
      "A function's parameters are not a usable JSON Schema 2020-12. Correct the schema and keep references inside it.",
  },
  invalid_url: {
    status: 400,
    message: "The MCP endpoint must be an https URL with no user information and no fragment.",
  },
  duplicate_connection: {
    status: 400,
    message: "The session names one connection twice. List each connection once.",
  },
  invalid_network_policy: {
    status: 400,
    message:
      "An allowed host is not a plain DNS hostname. List exact names, without wildcards, ports or addresses.",
  },
  unsupported_image: {
    status: 400,
    message: "The sandbox image is not available. Use managed-default or leave it out.",
  },
  files_require_sandbox: {
    status: 400,
    message: "This session has no sandbox to put files in. Use a session with a sandbox environment.",
  },
  unsupported_reasoning_effort: {
    status: 400,
    message:
      "The session's model has no such reasoning effort. Choose one that the model supports or leave it out.",
  },
  unsupported_image_input: {
    status: 400,
    message: "The session's model reads no images. Use a model that does.",
  },
  invalid_image: { status: 400, message: "The image could not be read. Use a static PNG, JPEG or WebP." },
  image_limits_exceeded: {
    status: 400,
    message: "The image is beyond the model's limits. Send smaller or fewer images.",
  },
  invalid_upload: {
    status: 400,
    message: "The upload must be a multipart form with one part, a file named `file`.",
  },
  duplicate_call_id: {
    status: 400,
    message: "The batch has two results for one call. Send one result for each call.",
  },
  invalid_tool_result: {
    status: 400,
    message:
      "A result is for a call that the platform runs by itself. Send results of application functions only.",
  },
  unauthorized: {
    status: 401,
    message: "No valid credential came with the request. Send Authorization: Bearer with a live key.",
  },
  forbidden: { status: 403, message: "This credential may not do that. Use one that has the permission." },
  connection_subject_mismatch: {
    status: 403,
    message:
      "The connection is registered for another subject_id. Bind a connection of this session's subject.",
  },
  not_found: {
    status: 404,
    message: "Nothing by this path or id is visible to this project. Check the path and the ids.",
  },
  method_not_allowed: {
    status: 405,
    message: "The path exists but not with this method. See the Allow header.",
  },
  session_active: { status: 409, message: "The session still has a run. Wait until it ends, or stop it." },
  session_archived: {
    status: 409,
    message: "The session is archived and takes no more work. Create a new session.",
  },
  session_paused: {
    status: 409,
    message: "The session is paused or about to be, so it takes no steering. Resume it, or queue.",
  },
  session_pausing: {
    status: 409,
    message: "The session has not finished pausing. Resume once its status is paused.",
  },
  run_interrupted: { status: 409, message: "The run lost its execution. Stop it, then resume the session." },
  run_stopping: { status: 409, message: "The run is being stopped. Wait for run.stopped." },
  run_not_active: {
    status: 409,
    message: "The named run has neither begun nor ended. Stop the session's active run.",
  },
  input_not_queued: { status: 409, message: "The input already belongs to a run. Stop that run instead." },
  connection_session_scoped: {
    status: 409,
    message: "The connection belongs to one session. Register a reusable connection to share it.",
  },
  tool_call_not_pending: {
    status: 409,
    message: "The call no longer waits for a result. Read the session's pending_tool_calls.",
  },
  tool_call_run_mismatch: {
    status: 409,
    message: "The call was made by a different run. Send its result with that run's id.",
  },
  tool_result_conflict: {
    status: 409,
    message: "A different result was already accepted for this call. Keep the accepted one.",
  },
  cursor_expired: {
    status: 410,
    message: "What the cursor points at is no longer kept. Read the current state and start again.",
  },
  file_too_large: { status: 413, message: "The file is larger than an upload may be. Send at most 16 MiB." },
  unsupported_media_type: {
    status: 415,
    message: "The body's media type is not accepted. Set the operation's Content-Type.",
  },
  rate_limited: { status: 429, message: "Too many requests. Wait a little, then try again." },
  internal_error: {
    status: 500,
    message: "Something failed on our side. Read the current state before trying again.",
  },
  image_preparation_failed: {
    status: 500,
    message: "The stored image could not be read or prepared. Nothing was accepted; try again.",
  },
  stream_unavailable: { status: 500, message: "Live previews could not be set up. Open the stream again." },
} as const satisfies Record<string, ErrorEntry>;

/** Codes that this service adds to the reference's. */
export const extensionErrors = {
  idempotency_conflict: {
    status: 409,
    message: "This Idempotency-Key was used with a different request. Use a fresh key for a new request.",
  },
} as const satisfies Record<string, ErrorEntry>;

/** Code -> HTTP status and default message. */
export const errors = { ...referenceErrors, ...extensionErrors };

export type ErrorCode = keyof typeof errors;

/** True when the text is a code of this API. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errors, code);
}

/** The error envelope as it goes over the wire. An empty message becomes the code's default one. */
export function errorBody(code: ErrorCode, message: string, requestId: string) {
  return { error: { code, message: message === "" ? errors[code].message : message, request_id: requestId } };
}
