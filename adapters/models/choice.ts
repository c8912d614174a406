/**
 * The model port for every registered model.
 */
import { modelSpec } from "../../contract/models.ts";
import type { Model } from "../../core/ports/model.ts";
import { anthropic } from "./anthropic.ts";
import { requestFailure } from "./failures.ts";
import { openai } from "./openai.ts";
import { providerModel } from "./provider.ts";
import { DEFAULT_TIMEOUTS, type ModelTimeouts } from "./watch.ts";

export type ModelOptions = {
  /** In place of OpenAI's address, its `/v1` included; normally `OPENAI_BASE_URL`. */
  readonly openaiBaseUrl?: string | undefined;
  /** In place of Anthropic's address, without `/v1`; normally `ANTHROPIC_BASE_URL`. */
  readonly anthropicBaseUrl?: string | undefined;
  readonly timeouts?: Partial<ModelTimeouts>;
};

/** A `Model` that sends each request to the provider of its model. SDKs are loaded by the first request. */
export function createModel(options: ModelOptions = {}): Model {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const providers = {
    openai: providerModel(openai(options.openaiBaseUrl), timeouts),
    anthropic: providerModel(anthropic(options.anthropicBaseUrl), timeouts),
  };
  return {
    async generate(request, listener, signal) {
      const spec = modelSpec(request.model);
      if (spec === null)
        throw requestFailure("the model is not registered: choose one of the documented models");
      return providers[spec.provider].generate(request, listener, signal);
    },
  };
}
