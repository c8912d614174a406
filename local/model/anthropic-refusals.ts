/**
 * How the Messages API words what is wrong with a request.
 */
import type * as z from "zod";
import { along, firstIssue } from "./issues.ts";
import { WireProblem } from "./reply.ts";

export function invalid(message: string): WireProblem {
  return new WireProblem(400, { type: "invalid_request_error", message });
}

/** `messages.1.content.0.tool_use.name`: with the type of each tagged object on the way. */
function locationOf(body: unknown, path: readonly PropertyKey[]): string {
  const values = along(body, path);
  const parts = path.map((key, at) => {
    const { type } = Object(values[at + 1]);
    const tool = path[0] === "tools" && at === 1;
    const tag = at === path.length - 1 ? undefined : tool ? (type ?? "custom") : type;
    return typeof tag === "string" ? `${String(key)}.${tag}` : String(key);
  });
  return parts.join(".");
}

const kinds: Partial<Record<string, string>> = {
  array: "list",
  object: "dictionary",
  record: "dictionary",
  int: "integer",
};

function list(values: readonly unknown[]): string[] {
  return values.map((value) => `'${String(value)}'`);
}

function plural(count: number | bigint, noun: string): string {
  return `${count} ${noun}${Number(count) === 1 ? "" : "s"}`;
}

function wording(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return "Field required";
  switch (issue.code) {
    case "invalid_format":
      return "pattern" in issue
        ? `String should match pattern '${String(issue.pattern).slice(1, -1)}'`
        : "Input is invalid";
    case "invalid_value": {
      const values = list(issue.values);
      const last = values.pop();
      return `Input should be ${values.length > 0 ? `${values.join(", ")} or ` : ""}${last}`;
    }
    case "too_small":
    case "too_big": {
      const limit = issue.code === "too_small" ? issue.minimum : issue.maximum;
      const direction = issue.code === "too_small" ? "least" : "most";
      if (issue.origin === "string")
        return `String should have at ${direction} ${plural(limit, "character")}`;
      if (issue.origin === "array")
        return `List should have at ${direction} ${plural(limit, "item")} after validation`;
      const than = issue.code === "too_small" ? "greater" : "less";
      return `Input should be ${than} than${issue.inclusive ? " or equal to" : ""} ${limit}`;
    }
    default: {
      const kind = issue.code === "invalid_type" ? String(issue.expected) : "array";
      return `Input should be a valid ${kinds[kind] ?? kind}`;
    }
  }
}

/** The refusal of a request that the schema does not fit. */
export function anthropicRefusal(error: z.core.$ZodError, body: unknown): WireProblem {
  const { issue, path, value } = firstIssue(error, body);
  if (issue.code === "custom") return invalid(issue.message.replace("%", String(path[0])));
  if (issue.code === "unrecognized_keys") {
    const key = issue.keys[0] ?? "";
    return invalid(`${locationOf(body, [...path, key])}: Extra inputs are not permitted`);
  }
  if (issue.code === "invalid_union" && "options" in issue && value !== undefined) {
    const at = locationOf(body, path.slice(0, -1));
    const tags = list(issue.options ?? []).join(", ");
    return invalid(
      `${at}: Input tag '${String(value)}' found using 'type' does not match any of the expected tags: ${tags}`,
    );
  }
  return invalid(`${locationOf(body, path) || "body"}: ${wording(issue, value)}`);
}
