import type { Json } from "../../contract/json.ts";
import { modelSpec } from "../../contract/models.ts";
import type { Content } from "../../contract/schemas/content.ts";
import type { SendInput } from "../../contract/schemas/inputs.ts";
import type { Blobs, Upload } from "../ports/blobs.ts";
import type { Effort } from "../ports/model.ts";
import type { NewInput } from "../session/decide/inputs.ts";
import { checkDeliverable } from "./deliverable.ts";
import { ApiError, notFound } from "./error.ts";

/** What an input is checked against. */
export type InputTarget = {
  readonly sessionId: string;
  readonly model: string;
  readonly environment: "none" | "sandbox";
};

/**
 * Checks an input and settles its effort (post_sessions_session_id_inputs). Content that names a file is
 * refused with `not_found`: a project has no files before it can upload any.
 */
export function checkInput(
  blobs: Pick<Blobs, "stow">,
  target: InputTarget,
  input: SendInput,
): { input: NewInput; uploads: Upload[] } {
  const effort = resolveEffort(target.model, input.reasoning_effort);
  checkContent(target, input.content);
  checkDeliverable("The content", input.content);
  const { payload, upload } = blobs.stow(target.sessionId, input.content as Json);
  return { input: { mode: input.mode, effort, content: payload }, uploads: upload === null ? [] : [upload] };
}

function resolveEffort(model: string, requested: Effort | undefined): Effort {
  const spec = modelSpec(model);
  if (spec === null) throw new Error(`${model} is not registered`);
  if (requested === undefined) return spec.defaultEffort;
  if (spec.efforts.includes(requested)) return requested;
  throw new ApiError("unsupported_reasoning_effort", `${model} supports: ${spec.efforts.join(", ")}.`);
}

function checkContent(target: InputTarget, content: readonly Content[]): void {
  if (target.environment === "none" && content.some(({ type }) => type === "file")) {
    throw new ApiError("files_require_sandbox");
  }
  if (modelSpec(target.model)?.images === null && content.some(({ type }) => type === "image")) {
    throw new ApiError("unsupported_image_input");
  }
  if (content.some(({ type }) => type !== "text")) throw notFound("file");
}
