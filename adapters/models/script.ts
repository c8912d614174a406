/**
 * Reads the script out of a tool call.
 */
import * as z from "zod";
import { wellFormedText } from "../../contract/nul.ts";
import type { ScriptRequest, ToolDefinition } from "../../core/ports/model.ts";

export type ToolCall = {
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it. */
  readonly arguments: string;
};

const schema = z.object({
  required: z.array(z.string()).default([]),
  properties: z.record(z.string(), z.unknown()).default({}),
});

/** The argument of the tool that holds the source: its first required property, else its first property. */
export function sourceProperty(parameters: unknown): string {
  const found = schema.safeParse(parameters);
  const names = found.success ? [...found.data.required, ...Object.keys(found.data.properties)] : [];
  return names[0] ?? "source";
}

/** The arguments as an object, or null when they are not one. */
export function parseArguments(text: string): Record<string, unknown> | null {
  try {
    const value = z.record(z.string(), z.unknown()).safeParse(JSON.parse(text));
    return value.success ? value.data : null;
  } catch {
    return null;
  }
}

/** The script of `call`; a call that was cut is never run. Without a script, `problem` tells the model how to do better. */
export function readScript(call: ToolCall, tool: ToolDefinition, cut: boolean): ScriptRequest {
  const { id } = call;
  const property = sourceProperty(tool.parameters);
  const how = `Call ${tool.name} with {"${property}": "<source>"}.`;
  const unusable = (problem: string): ScriptRequest => ({ id, source: null, problem });
  if (call.name !== tool.name) {
    const named = wellFormedText(call.name.slice(0, 64)).trim();
    return unusable(`There is no tool ${named === "" ? "without a name" : named}. ${how}`);
  }
  if (cut) {
    return unusable("The answer reached its output limit, and the script was cut off: write a shorter one.");
  }
  const source = parseArguments(call.arguments)?.[property];
  if (typeof source === "string") return { id, source: wellFormedText(source) };
  return unusable(`The arguments are not a JSON object with a string "${property}". ${how}`);
}
