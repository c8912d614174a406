/** Tools that an agent may declare, and the built-ins' arguments and results. */
import * as z from "zod";
import { AnyObject, text } from "./common.ts";

export const BuiltinTool = z
  .enum(["shell", "read_file", "apply_patch", "view_image", "web_search", "web_fetch"])
  .describe("A tool that the platform runs.");
export type BuiltinTool = z.infer<typeof BuiltinTool>;

/** Names that a function may have; the check that they are not a built-in's is the operation's. */
export const FunctionNamePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

// Only the root's type is checked here: a broken or external schema is the operation's `invalid_schema`.
const Parameters = AnyObject.refine(
  (schema) => schema["type"] === "object",
  "Set type to object at the root.",
)
  .meta({ properties: { type: { const: "object" } }, required: ["type"] })
  .describe("JSON Schema 2020-12 of the arguments object. References stay inside the schema.");

export const FunctionTool = z
  .strictObject({
    type: z.literal("function"),
    name: text(1, 64).regex(FunctionNamePattern),
    description: z.string().min(1),
    parameters: Parameters,
  })
  .describe("A function that your application runs when the agent calls it.");
export type FunctionTool = z.infer<typeof FunctionTool>;

export const AgentTool = z
  .union([BuiltinTool, FunctionTool], "Name a built-in tool or define a function.")
  .describe("A built-in by name, or a function.");
export type AgentTool = z.infer<typeof AgentTool>;

export const ShellArguments = z
  .strictObject({
    command: text(1, 65_536).describe("At most 65,536 bytes of UTF-8."),
    timeout_ms: z
      .int()
      .min(1)
      .max(60_000)
      .default(30_000)
      .describe("Milliseconds until the command is ended."),
  })
  .describe("Arguments of shell, which returns when the command has ended.");
export type ShellArguments = z.infer<typeof ShellArguments>;

export const ShellResult = z
  .strictObject({
    stdout: z.string(),
    stderr: z.string(),
    exit_code: z.int(),
    timed_out: z.boolean().describe("A guess from the exit code; a command can give that code itself."),
    truncated: z.boolean().describe("Output beyond the limit was cut off."),
  })
  .describe("What a shell command left behind.");
export type ShellResult = z.infer<typeof ShellResult>;

export const ApplyPatchArguments = z
  .strictObject({
    patch: text(1, 1_048_576).describe("A unified diff with paths relative to /workspace/, at most 1 MiB."),
  })
  .describe("Arguments of apply_patch, which creates, changes and deletes text files.");
export type ApplyPatchArguments = z.infer<typeof ApplyPatchArguments>;

export const ApplyPatchResult = z
  .strictObject({
    files: z
      .array(z.strictObject({ path: z.string(), operation: z.enum(["add", "update", "delete"]) }))
      .min(1)
      .max(64),
  })
  .describe("The files that a patch touched, in its order.");
export type ApplyPatchResult = z.infer<typeof ApplyPatchResult>;

export const ViewImageArguments = z
  .strictObject({ path: z.string().min(1).describe("A file below /workspace/, absolute or relative to it.") })
  .describe("Arguments of view_image, which shows a picture to the model.");
export type ViewImageArguments = z.infer<typeof ViewImageArguments>;

export const ViewImageResult = z
  .strictObject({
    path: z.string().min(1),
    mime_type: z.enum(["image/png", "image/jpeg", "image/webp"]),
    width: z.int().min(1),
    height: z.int().min(1),
    size_bytes: z.int().min(1),
  })
  .describe("What is told of a viewed image; its pixels go to the model alone.");
export type ViewImageResult = z.infer<typeof ViewImageResult>;
