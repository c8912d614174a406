/**
 * How the Responses API words what is wrong with a request.
 */
import type * as z from "zod";
import { firstIssue, type Issue } from "./issues.ts";
import { WireProblem } from "./reply.ts";

/** 400 with what is wrong, where, and the API's code for it. */
export function refused(
  message: string,
  param: string | null = null,
  code: string | null = null,
): WireProblem {
  return new WireProblem(400, {
    type: "invalid_request_error",
    message,
    ...(param === null ? {} : { param }),
    ...(code === null ? {} : { code }),
  });
}

/** `input[3].name` */
export function paramOf(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "");
}

function list(values: readonly unknown[]): string {
  const quoted = values.map((value) => `'${String(value)}'`);
  if (quoted.length < 3) return quoted.join(" and ");
  return `${quoted.slice(0, -1).join(", ")}, and ${quoted.at(-1)}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a decimal";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function size({ issue, value }: Issue, param: string): WireProblem | null {
  const short = issue.code === "too_small";
  if (!short && issue.code !== "too_big") return null;
  const kind = issue.origin === "array" ? "array" : "string";
  const limit = short ? `minimum length ${issue.minimum}` : `maximum length ${issue.maximum}`;
  const length = String(Object(value).length);
  const found = short
    ? `an empty ${kind}`
    : `${kind === "array" ? "an array" : "a string"} with length ${length}`;
  const article = kind === "array" ? "an array" : "a string";
  return refused(
    `Invalid '${param}': ${short ? `empty ${kind}` : `${kind} too long`}. Expected ${article} with ${limit}, but got ${found} instead.`,
    param,
    short ? `empty_${kind}` : `${kind}_above_max_length`,
  );
}

function unsupported({ value }: Issue, param: string, values: readonly unknown[]): WireProblem {
  return refused(
    `Invalid value: '${String(value)}'. Supported values are: ${list(values)}.`,
    param,
    "invalid_value",
  );
}

function expected(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_union") return "one of an array of objects or string";
  const kind = issue.code === "invalid_type" ? String(issue.expected) : "value";
  if (kind === "int") return "an integer";
  return kind === "object" || kind === "record" ? "an object" : kind === "array" ? "an array" : `a ${kind}`;
}

/** The refusal of a request that the schema does not fit. */
export function openaiRefusal(error: z.core.$ZodError, body: unknown): WireProblem {
  const found = firstIssue(error, body);
  const { issue, value } = found;
  const param = paramOf(found.path);
  if (param === "" && issue.code === "invalid_type") {
    return refused("We could not parse the JSON body of your request. The API expects a JSON payload.");
  }
  if (issue.code === "unrecognized_keys") {
    const at = paramOf([...found.path, issue.keys[0] ?? ""]);
    return refused(`Unknown parameter: '${at}'.`, at, "unknown_parameter");
  }
  if (issue.code === "custom") return refused(issue.message.replace("%", param), param, "invalid_value");
  if (value === undefined) {
    return refused(`Missing required parameter: '${param}'.`, param, "missing_required_parameter");
  }
  if (issue.code === "invalid_union" && issue.errors.length === 0) {
    return unsupported(found, param, "options" in issue ? (issue.options ?? []) : []);
  }
  if (issue.code === "invalid_value") return unsupported(found, param, issue.values);
  if (issue.code === "invalid_format" && "pattern" in issue) {
    const pattern = String(issue.pattern).slice(1, -1);
    return refused(
      `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${pattern}'.`,
      param,
      "invalid_value",
    );
  }
  return (
    size(found, param) ??
    refused(
      `Invalid type for '${param}': expected ${expected(issue)}, but got ${kindOf(value)} instead.`,
      param,
      "invalid_type",
    )
  );
}
