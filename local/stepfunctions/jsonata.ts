import { createHash, randomUUID } from "node:crypto";
import jsonata from "jsonata";
import { EvaluationError, messageOf } from "./errors.ts";

/** Names bound in an expression, without their `$`: `states` and the execution's variables. */
export type Bindings = Record<string, unknown>;

const delimited = /^\{%([\s\S]*)%\}$/;

// One entry for each expression of the loaded definitions, so it stays small.
const compiled = new Map<string, jsonata.Expression>();

/** Whether a string is a JSONata expression: `{% … %}` with nothing around it. */
export function isExpression(text: string): boolean {
  return delimited.test(text);
}

/**
 * Compiles every expression inside a template, so that a wrong one is found at load time.
 * @throws EvaluationError with the field's path when an expression does not compile or is not closed.
 */
export function checkTemplate(template: unknown, location: string): void {
  if (typeof template === "string") {
    if (!template.trimStart().startsWith("{%")) return;
    if (!isExpression(template)) {
      throw new EvaluationError(location, `the expression must start with '{%' and end with '%}'`);
    }
    compile(sourceOf(template), location);
    return;
  }
  for (const [path, value] of childrenOf(template, location)) checkTemplate(value, path);
}

/**
 * Evaluates every expression inside a template and returns plain JSON.
 * @throws EvaluationError when one fails or returns nothing, as AWS's States.QueryEvaluationError.
 */
export async function evaluateTemplate(
  template: unknown,
  location: string,
  bindings: Bindings,
): Promise<unknown> {
  if (typeof template === "string") {
    return isExpression(template) ? evaluate(sourceOf(template), location, bindings) : template;
  }
  if (Array.isArray(template)) {
    const items: unknown[] = [];
    for (const [path, value] of childrenOf(template, location)) {
      items.push(await evaluateTemplate(value, path, bindings));
    }
    return items;
  }
  if (typeof template !== "object" || template === null) return template;
  const entries: [string, unknown][] = [];
  for (const [key, value] of Object.entries(template)) {
    entries.push([key, await evaluateTemplate(value, `${location}/${key}`, bindings)]);
  }
  return Object.fromEntries(entries);
}

async function evaluate(source: string, location: string, bindings: Bindings): Promise<unknown> {
  const named = `The JSONata expression '${source}' specified for the field '${location}'`;
  let value: unknown;
  try {
    value = await compile(source, location).evaluate(undefined, { ...intrinsics, ...bindings });
  } catch (thrown) {
    throw new EvaluationError(location, `${named} threw an error during evaluation. ${messageOf(thrown)}`);
  }
  if (value === undefined) throw new EvaluationError(location, `${named} returned nothing (undefined).`);
  if (isFunction(value)) throw new EvaluationError(location, `${named} returned an unsupported result type.`);
  // JSONata's arrays carry hidden marks; a round trip leaves plain JSON.
  return JSON.parse(JSON.stringify(value));
}

function compile(source: string, location: string): jsonata.Expression {
  const known = compiled.get(source);
  if (known) return known;
  try {
    const expression = jsonata(source);
    compiled.set(source, expression);
    return expression;
  } catch (thrown) {
    throw new EvaluationError(
      location,
      `the JSONata expression '${source}' is not valid: ${messageOf(thrown)}`,
    );
  }
}

function sourceOf(text: string): string {
  return (delimited.exec(text)?.[1] ?? "").trim();
}

function childrenOf(template: unknown, location: string): [string, unknown][] {
  if (Array.isArray(template)) return template.map((value, index) => [`${location}[${index}]`, value]);
  if (typeof template !== "object" || template === null) return [];
  return Object.entries(template).map(([key, value]) => [`${location}/${key}`, value]);
}

function isFunction(value: unknown): boolean {
  if (typeof value === "function") return true;
  return (
    typeof value === "object" &&
    value !== null &&
    ("_jsonata_lambda" in value || "_jsonata_function" in value)
  );
}

/** The functions that AWS adds to JSONata; `$eval` is taken away, as AWS does. */
const intrinsics: Bindings = {
  eval: undefined,
  uuid: () => randomUUID(),
  parse: (text: string): unknown => JSON.parse(text),
  hash: (text: string, algorithm: string) =>
    createHash(algorithm.replace("-", "").toLowerCase()).update(text).digest("hex"),
  partition: (items: readonly unknown[], size: number) =>
    Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
      items.slice(index * size, (index + 1) * size),
    ),
  range: (first: number, last: number, step: number) =>
    Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step),
};
