import type { Json } from "../../contract/json.ts";
import { ApiError } from "../../core/api/error.ts";
import { parseJson } from "./parse-json.ts";
import type { HttpRequest } from "./request.ts";

/** 16 MiB of JSON, as the reference has it. On AWS, what Lambda takes comes first: 6 MB, which are 4.7 MB of body. */
const LARGEST_BODY = 16 * 1024 * 1024;
/** Nothing real nests deeper, and much deeper JSON takes seconds to parse. */
const DEEPEST_NESTING = 200;

const json = /^application\/json\s*(?:;|$)/i;
const identity = /^\s*(?:identity)?\s*$/i;

/** The JSON body, before its schema (API conventions): media type, encoding, size, syntax, and what it may hold. */
export function readJson({ body, headers }: HttpRequest): Json {
  if (body === null) throw new ApiError("invalid_json", "This operation needs a JSON body.");
  if (!json.test(headers["content-type"] ?? "")) throw new ApiError("unsupported_media_type");
  if (!(headers["content-encoding"] ?? "").split(",").every((coding) => identity.test(coding)))
    throw new ApiError(
      "unsupported_media_type",
      "The body's Content-Encoding is not accepted. Send it without one.",
    );
  if (body.byteLength > LARGEST_BODY) throw new ApiError("request_too_large");
  const text = decode(body);
  if (nestsDeeperThan(text, DEEPEST_NESTING)) {
    throw new ApiError("invalid_request", `The body nests deeper than ${DEEPEST_NESTING} levels.`);
  }
  return parseJson(text);
}

/** Text of UTF-8, without the byte order mark that some clients write before it. */
function decode(body: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw new ApiError("invalid_json", "The body is not UTF-8. Encode it so.");
  }
}

/** Counts brackets outside of strings; what is not JSON is left to the parser. */
function nestsDeeperThan(text: string, levels: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (quoted) {
      if (code === 92) at += 1;
      else if (code === 34) quoted = false;
    } else if (code === 34) quoted = true;
    else if (code === 91 || code === 123) {
      depth += 1;
      if (depth > levels) return true;
    } else if (code === 93 || code === 125) depth -= 1;
  }
  return false;
}
