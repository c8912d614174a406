/**
 * Finds in what a schema says about a request the one thing that a provider would report.
 */
import type * as z from "zod";

type Path = readonly PropertyKey[];

export type Issue = {
  readonly issue: z.core.$ZodIssue;
  /** From the root of the request. */
  readonly path: Path;
  /** What stands there; undefined when nothing does. */
  readonly value: unknown;
};

/** Each value on the way along `path`, the root first. */
export function along(root: unknown, path: Path): unknown[] {
  const values = [root];
  for (const key of path) values.push(Object(values.at(-1))[key]);
  return values;
}

/** The first issue. Of a union it is that of the member which fits the value's kind. */
export function firstIssue(error: z.core.$ZodError, body: unknown): Issue {
  let issue = error.issues[0];
  if (issue === undefined) throw new Error("a schema has failed without an issue");
  let path: Path = issue.path;
  while (issue.code === "invalid_union") {
    const members: readonly z.core.$ZodIssue[][] = issue.errors;
    const inner: z.core.$ZodIssue | undefined = members.map((of) => of[0]).find((at) => at && !isKind(at));
    if (inner === undefined) break;
    issue = inner;
    path = [...path, ...inner.path];
  }
  return { issue, path, value: along(body, path).at(-1) };
}

function isKind(issue: z.core.$ZodIssue): boolean {
  return issue.code === "invalid_type" && issue.path.length === 0;
}
