/**
 * Checks of a request that need no provider.
 */
import type { ModelSpec } from "../../contract/models.ts";
import { modelSpec } from "../../contract/models.ts";
import type { ModelRequest } from "../../core/ports/model.ts";
import { requestFailure } from "./failures.ts";

/** The registered model of the request, whose effort and key are usable; a `ModelFailure` otherwise. */
export function checkedSpec(request: ModelRequest): ModelSpec {
  const spec = modelSpec(request.model);
  if (spec === null) throw requestFailure("the model is not registered: choose one of the documented models");
  if (!spec.efforts.includes(request.effort)) {
    throw requestFailure(
      `${request.model} takes the efforts ${spec.efforts.join(", ")}, not ${request.effort}`,
    );
  }
  // Checked here because fetch's own error would quote the header, key included.
  if (!/^[\x21-\x7E]+$/.test(request.apiKey)) {
    throw requestFailure(
      "the model key is empty or has characters that a header cannot carry: store it again",
    );
  }
  return spec;
}

function countImages(request: ModelRequest): number {
  const blocks = request.transcript.flatMap((entry) => (entry.type === "user" ? entry.content : []));
  return blocks.filter((block) => block.type === "image").length;
}

/** Throws a `ModelFailure` when the conversation's images pass what the model takes in one request. */
export function checkImages(spec: ModelSpec, request: ModelRequest, body: unknown): void {
  const count = countImages(request);
  if (count === 0) return;
  if (spec.images === null) throw requestFailure(`${request.model} takes no images`);
  if (count > spec.images.maxCount) {
    throw requestFailure(
      `the conversation has ${count} images; ${request.model} takes ${spec.images.maxCount} in a request`,
    );
  }
  // Only a conversation with images can come near the limit, so only then is it worth serializing twice.
  const bytes = Buffer.byteLength(JSON.stringify(body));
  if (bytes > spec.images.maxRequestBytes) {
    throw requestFailure(
      `the request has ${bytes} bytes; ${request.model} takes ${spec.images.maxRequestBytes} with images`,
    );
  }
}
