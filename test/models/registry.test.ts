import { describe, expect, expectTypeOf, it } from "vitest";
import { EFFORTS, type Effort, MODELS, modelSpec } from "../../contract/models.ts";
import type { Effort as PortEffort } from "../../core/ports/model.ts";

/** The contract with clients. A red line here means that agents or inputs that were valid would be refused. */
const contract: Record<string, string> = {
  "openai/gpt-5-pro": "high | high",
  "openai/o3-mini": "low medium high | medium | no images",
  "openai/o1 openai/o1-pro openai/o3 openai/o3-pro openai/o4-mini": "low medium high | medium",
  "openai/gpt-5.3-codex-spark": "low medium high xhigh | medium",
  "anthropic/claude-haiku-5-5 anthropic/claude-opus-5-5 anthropic/claude-sonnet-5-5 openai/gpt-6-astra openai/gpt-6.1-sol":
    "low medium high xhigh max | medium",
  "openai/gpt-5.2-pro openai/gpt-5.4-pro openai/gpt-5.5-pro": "medium high xhigh | medium",
  "openai/gpt-5.2-chat-latest": "medium xhigh | medium",
  "openai/gpt-5 openai/gpt-5-mini openai/gpt-5-nano": "minimal low medium high | medium",
  "openai/gpt-realtime-2.1": "minimal low medium high xhigh | medium",
  "anthropic/claude-fable-5 anthropic/claude-fable-5-1 anthropic/claude-opus-5":
    "minimal low medium high xhigh max | medium",
  "openai/gpt-4": "off | off | no images",
  "openai/gpt-4-turbo openai/gpt-4.1 openai/gpt-4.1-mini openai/gpt-4.1-nano openai/gpt-4o openai/gpt-4o-2024-05-13 openai/gpt-4o-2024-08-06 openai/gpt-4o-2024-11-20 openai/gpt-4o-mini openai/gpt-5-chat-latest openai/gpt-5.3-chat-latest":
    "off | off",
  "openai/gpt-5.1": "off low medium high | medium",
  "openai/gpt-5.2 openai/gpt-5.3-codex openai/gpt-5.4 openai/gpt-5.4-mini openai/gpt-5.4-nano openai/gpt-5.5":
    "off low medium high xhigh | medium",
  "openai/gpt-5.6-luna openai/gpt-5.6-sol openai/gpt-5.6-terra openai/gpt-6-luna openai/gpt-6-sol openai/gpt-daybreak-blue-latest openai/gpt-daybreak-red-latest":
    "off low medium high xhigh max | medium",
  "anthropic/claude-haiku-4-5 anthropic/claude-haiku-4-5-20251001 anthropic/claude-opus-4-5 anthropic/claude-opus-4-5-20251101 anthropic/claude-sonnet-4-5 anthropic/claude-sonnet-4-5-20250929":
    "off minimal low medium high | medium",
  "anthropic/claude-opus-4-6 anthropic/claude-sonnet-4-6": "off minimal low medium high max | medium",
  "anthropic/claude-opus-4-7 anthropic/claude-opus-4-8 anthropic/claude-sonnet-5":
    "off minimal low medium high xhigh max | medium",
};
const rows = Object.entries(contract).flatMap(([names, says]) =>
  names.split(" ").map((name) => [name, says] as const),
);

describe("the model registry", () => {
  it("has exactly the models of the contract", () => {
    expect([...MODELS].sort()).toEqual(rows.map(([name]) => name).sort());
  });

  it.each(rows)("gives %s the efforts and default %s", (name, says) => {
    const spec = modelSpec(name);
    const images = spec?.images === null ? " | no images" : "";
    expect(`${spec?.efforts.join(" ")} | ${spec?.defaultEffort}${images}`).toBe(says);
    expect(`${spec?.provider}/${spec?.id}`).toBe(name);
  });

  it("limits images to 4,718,592 base64 bytes everywhere", () => {
    const limits = MODELS.map((name) => modelSpec(name)?.images?.maxBase64Bytes ?? 4_718_592);
    expect(new Set(limits)).toEqual(new Set([4_718_592]));
  });

  it.each([
    ["openai/gpt-5", 1_500, 536_870_912],
    ["anthropic/claude-sonnet-4-5", 600, 33_554_432],
    ["anthropic/claude-haiku-4-5", 100, 33_554_432],
    ["anthropic/claude-haiku-4-5-20251001", 100, 33_554_432],
    ["anthropic/claude-opus-4-5", 100, 33_554_432],
    ["anthropic/claude-opus-4-5-20251101", 100, 33_554_432],
    ["anthropic/claude-haiku-5-5", 600, 33_554_432],
  ])("allows %s %i images and %i bytes in a request", (name, maxCount, maxRequestBytes) => {
    expect(modelSpec(name)?.images).toMatchObject({ maxCount, maxRequestBytes });
  });

  it.each([
    "",
    "gpt-5",
    "openai/",
    "openai/GPT-5",
    "anthropic/gpt-5",
    "__proto__",
    "openai/__proto__",
    "constructor",
    "openai/constructor",
    "toString",
  ])("does not know %j", (name) => {
    expect(modelSpec(name)).toBeNull();
  });

  it("lists efforts from the least to the most, the default among them, and leaves room for output", () => {
    for (const name of MODELS) {
      const spec = modelSpec(name);
      const order = spec?.efforts.map((effort) => EFFORTS.indexOf(effort));
      expect(order).toEqual([...(order ?? [])].sort((a, b) => a - b));
      expect(spec?.efforts).toContain(spec?.defaultEffort);
      expect(spec?.maxOutputTokens).toBeLessThanOrEqual(spec?.contextTokens ?? 0);
    }
  });

  it("knows the same efforts as the model port", () => {
    expectTypeOf<Effort>().toEqualTypeOf<PortEffort>();
  });
});
