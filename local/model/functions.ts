/**
 * Finds the application's functions in the description of the JavaScript tool, and writes scripts that call
 * them.
 */
import * as z from "zod";

export type Parameter = { readonly name: string; readonly type: string; readonly required: boolean };
export type GrantedFunction = { readonly name: string; readonly parameters: readonly Parameter[] };

/** A function has a line of its own; one that is merely mentioned counts only where no function has. */
const listed = /^\s*(?:[-*]\s*)?`?(?:await\s+)?tools\.([A-Za-z_$][\w$]*)\s*\(/gm;
const mentioned = /\btools\.([A-Za-z_$][\w$]*)\s*\(/g;

/** Longest stretch after a function's name in which its parameters are looked for, in characters. */
const SIGNATURE_LIMIT = 4_000;

/** Verbs say what is done, not with what: they alone never ask for a function. */
const verbs = new Set(
  "get set list find search fetch load read look lookup create add make update edit change delete remove send run call check show submit".split(
    " ",
  ),
);

/** Every function that `description` shows as `tools.name(...)`, each once. */
export function grantedFunctions(description: string): GrantedFunction[] {
  const lines = [...description.matchAll(listed)];
  const mentions = lines.length > 0 ? lines : [...description.matchAll(mentioned)];
  const found = new Map<string, GrantedFunction>();
  mentions.forEach((match, at) => {
    const name = match[1] ?? "";
    const end = Math.min(mentions[at + 1]?.index ?? description.length, match.index + SIGNATURE_LIMIT);
    const parameters = parametersIn(description.slice(match.index + match[0].length, end));
    const known = found.get(name)?.parameters ?? [];
    found.set(name, { name, parameters: known.length > 0 ? known : parameters });
  });
  return [...found.values()];
}

function parametersIn(signature: string): Parameter[] {
  return schemaParameters(signature) ?? typeParameters(signature);
}

// A property's schema may also be just `true`.
const property = z.object({ type: z.string().catch("string").default("string") }).catch({ type: "string" });
const schema = z.object({
  properties: z.record(z.string(), property),
  required: z.array(z.string()).default([]),
});

/** Parameters of the first JSON Schema in the text, or null when there is none. */
function schemaParameters(text: string): Parameter[] | null {
  for (let start = text.indexOf("{"); start !== -1; start = text.indexOf("{", start + 1)) {
    const parsed = schema.safeParse(parsePrefix(text.slice(start)));
    if (!parsed.success) continue;
    const { properties, required } = parsed.data;
    return Object.entries(properties).map(([name, { type }]) => ({
      name,
      type,
      required: required.includes(name),
    }));
  }
  return null;
}

/** The JSON object that the text begins with, or undefined. */
function parsePrefix(text: string): unknown {
  for (let end = text.indexOf("}"); end !== -1; end = text.indexOf("}", end + 1)) {
    try {
      return JSON.parse(text.slice(0, end + 1));
    } catch {
      // Not the closing brace yet.
    }
  }
  return undefined;
}

/** Parameters as a TypeScript-like signature names them: `customer_id: string, limit?: number`. */
function typeParameters(text: string): Parameter[] {
  const typed = text.matchAll(/["']?([A-Za-z_$][\w$]*)["']?(\?)?\s*:\s*(string|number|integer|boolean)\b/g);
  return [...typed].map(([, name = "", optional, type = "string"]) => ({
    name,
    type,
    required: optional === undefined,
  }));
}

function words(text: string): string[] {
  return text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => (word.length > 3 ? word.replace(/s$/, "") : word));
}

/** How well `text` asks for the function: by name, or by the nouns of its name; 0 when not at all. */
function score(name: string, text: string): number {
  if (text.includes(name)) return 100 + name.length;
  const said = new Set(words(text));
  const nouns = words(name).filter((word) => !verbs.has(word) && word.length > 2);
  const hits = nouns.filter((noun) => said.has(noun)).length;
  if (nouns.length === 0 || hits < nouns.length) return 0;
  return hits + words(name).filter((word) => verbs.has(word) && said.has(word)).length / 10;
}

/** The function that `text` asks for most clearly, or null. */
export function findFunction(functions: readonly GrantedFunction[], text: string): GrantedFunction | null {
  const scored = functions
    .map((at) => ({ at, score: score(at.name, text) }))
    .filter((found) => found.score > 0);
  scored.sort((a, b) => b.score - a.score);
  return scored[0]?.at ?? null;
}

/** What in the text looks like a value: an id like customer_123, something quoted, an address. */
function values(text: string, name: string): string[] {
  const shapes = [/\b[A-Za-z]+[_-][A-Za-z0-9_-]*\d[A-Za-z0-9_-]*\b/g, /"([^"]+)"/g, /\S+@\S+\.\w+/g];
  return shapes
    .flatMap((shape) => [...text.matchAll(shape)].map((match) => match[1] ?? match[0]))
    .filter((value) => value !== name);
}

function argument(parameter: Parameter, strings: string[], numbers: number[], text: string): unknown {
  if (parameter.type === "number" || parameter.type === "integer") return numbers.shift() ?? 1;
  if (parameter.type === "boolean") return true;
  if (parameter.type === "array") return strings.splice(0);
  if (parameter.type === "object") return {};
  return strings.shift() ?? text.trim();
}

/** A script that calls `wanted` with what `text` holds for its required parameters, and returns the result. */
export function callScript(wanted: GrantedFunction, text: string): string {
  const strings = values(text, wanted.name);
  const numbers = [...text.matchAll(/(?<![\w.-])-?\d+(?:\.\d+)?\b/g)].map((match) => Number(match[0]));
  const required = wanted.parameters.filter((parameter) => parameter.required);
  const args = Object.fromEntries(
    required.map((parameter) => [parameter.name, argument(parameter, strings, numbers, text)]),
  );
  return `const result = await tools.${wanted.name}(${JSON.stringify(args)});\nreturn result;`;
}
