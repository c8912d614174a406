import type { Json } from "../../contract/json.ts";
import { containsNul } from "../../contract/nul.ts";
import { ApiError } from "../../core/api/error.ts";
import type { HttpRequest } from "./request.ts";

/** 16 MiB of JSON, as the reference has it. On AWS, Lambda's own limit of 6 MB comes first. */
const LARGEST_BODY = 16 * 1024 * 1024;
/** Nothing real nests deeper, and much deeper JSON takes seconds to parse. */
const DEEPEST_NESTING = 200;

const json = /^application\/json\s*(?:;|$)/i;

/** The JSON body, before its schema (API conventions): media type, size, syntax, NUL. */
export function readJson({ body, headers }: HttpRequest): Json {
  if (body === null) throw new ApiError("invalid_json", "This operation needs a JSON body.");
  if (!json.test(headers["content-type"] ?? "")) throw new ApiError("unsupported_media_type");
  if (Buffer.byteLength(body) > LARGEST_BODY) throw new ApiError("request_too_large");
  if (nestsDeeperThan(body, DEEPEST_NESTING)) {
    throw new ApiError("invalid_request", `The body nests deeper than ${DEEPEST_NESTING} levels.`);
  }
  const value = parse(body);
  if (containsNul(value)) throw new ApiError("invalid_request", "Text must not contain the NUL character.");
  return value;
}

function parse(body: string): Json {
  try {
    return JSON.parse(body) as Json;
  } catch {
    // The parser's message quotes the body.
    throw new ApiError("invalid_json");
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
