/**
 * The registered models: what each can do and how much it takes. Imports nothing.
 *
 * Efforts, default effort and image limits are the contract with clients. Context windows and maximum
 * outputs are the providers' published numbers (developers.openai.com/api/docs/models and
 * platform.claude.com/docs/en/models, read in November 2026). No page gives an output limit for
 * `gpt-5.3-codex-spark`: 32,000 is a low guess, so that room is kept rather than lost.
 */

const scale = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** Reasoning effort of a model request; `off` for models that do not reason. */
export type Effort = (typeof scale)[number];

/** Every effort, from the least to the most. */
export const EFFORTS: readonly Effort[] = scale;

export type Provider = "openai" | "anthropic";

/** What one request may hold of images. */
export type ImageLimits = {
  /** Base64 bytes of one image. */
  readonly maxBase64Bytes: number;
  /** Images in one request. */
  readonly maxCount: number;
  /** Serialized bytes of one request. */
  readonly maxRequestBytes: number;
};

export type ModelSpec = {
  readonly provider: Provider;
  /** The provider's own name of the model, without the prefix. */
  readonly id: string;
  readonly efforts: readonly Effort[];
  readonly defaultEffort: Effort;
  /** Null when the model takes no images. */
  readonly images: ImageLimits | null;
  /** Tokens of input and output together. */
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** How the provider is told to reason: not at all, by an effort, by a token budget, or by adaptive thinking. */
  readonly reasoning: "none" | "effort" | "budget" | "adaptive";
};

type Family = {
  readonly ids: readonly string[];
  readonly efforts: readonly Effort[];
  readonly context: number;
  readonly output: number;
  /** Images in one request where it differs from the provider's usual number; 0: no images at all. */
  readonly images?: number;
};

const MiB = 1024 * 1024;
const maxBase64Bytes = 4.5 * MiB;
const imageLimits = {
  openai: { maxBase64Bytes, maxCount: 1_500, maxRequestBytes: 512 * MiB },
  anthropic: { maxBase64Bytes, maxCount: 600, maxRequestBytes: 32 * MiB },
} as const;

const lowToHigh = ["low", "medium", "high"] as const;
const lowToXhigh = [...lowToHigh, "xhigh"] as const;
const lowToMax = [...lowToXhigh, "max"] as const;

const openai: readonly Family[] = [
  { ids: ["gpt-4"], efforts: ["off"], context: 8_192, output: 8_192, images: 0 },
  { ids: ["gpt-4-turbo", "gpt-4o-2024-05-13"], efforts: ["off"], context: 128_000, output: 4_096 },
  {
    ids: [
      ...["gpt-4o", "gpt-4o-2024-08-06", "gpt-4o-2024-11-20", "gpt-4o-mini"],
      ...["gpt-5-chat-latest", "gpt-5.3-chat-latest"],
    ],
    efforts: ["off"],
    context: 128_000,
    output: 16_384,
  },
  {
    ids: ["gpt-4.1", "gpt-4.1-mini", "gpt-4.1-nano"],
    efforts: ["off"],
    context: 1_047_576,
    output: 32_768,
  },
  { ids: ["o3-mini"], efforts: lowToHigh, context: 200_000, output: 100_000, images: 0 },
  {
    ids: ["o1", "o1-pro", "o3", "o3-pro", "o4-mini"],
    efforts: lowToHigh,
    context: 200_000,
    output: 100_000,
  },
  {
    ids: ["gpt-5", "gpt-5-mini", "gpt-5-nano"],
    efforts: ["minimal", ...lowToHigh],
    context: 400_000,
    output: 128_000,
  },
  { ids: ["gpt-5-pro"], efforts: ["high"], context: 400_000, output: 272_000 },
  { ids: ["gpt-5.1"], efforts: ["off", ...lowToHigh], context: 400_000, output: 128_000 },
  {
    ids: ["gpt-5.2", "gpt-5.3-codex", "gpt-5.4-mini", "gpt-5.4-nano"],
    efforts: ["off", ...lowToXhigh],
    context: 400_000,
    output: 128_000,
  },
  { ids: ["gpt-5.2-chat-latest"], efforts: ["medium", "xhigh"], context: 128_000, output: 16_384 },
  { ids: ["gpt-5.2-pro"], efforts: ["medium", "high", "xhigh"], context: 400_000, output: 128_000 },
  { ids: ["gpt-5.3-codex-spark"], efforts: lowToXhigh, context: 128_000, output: 32_000 },
  { ids: ["gpt-5.4", "gpt-5.5"], efforts: ["off", ...lowToXhigh], context: 1_050_000, output: 128_000 },
  {
    ids: ["gpt-5.4-pro", "gpt-5.5-pro"],
    efforts: ["medium", "high", "xhigh"],
    context: 1_050_000,
    output: 128_000,
  },
  {
    ids: [
      ...["gpt-5.6-luna", "gpt-5.6-sol", "gpt-5.6-terra", "gpt-6-luna", "gpt-6-sol"],
      ...["gpt-daybreak-blue-latest", "gpt-daybreak-red-latest"],
    ],
    efforts: ["off", ...lowToMax],
    context: 1_050_000,
    output: 128_000,
  },
  { ids: ["gpt-6-astra", "gpt-6.1-sol"], efforts: lowToMax, context: 1_050_000, output: 128_000 },
  { ids: ["gpt-realtime-2.1"], efforts: ["minimal", ...lowToXhigh], context: 128_000, output: 32_000 },
];

const budgeted: readonly Family[] = [
  {
    ids: [
      ...["claude-haiku-4-5", "claude-haiku-4-5-20251001"],
      ...["claude-opus-4-5", "claude-opus-4-5-20251101"],
    ],
    efforts: ["off", "minimal", ...lowToHigh],
    context: 200_000,
    output: 64_000,
    images: 100,
  },
  {
    ids: ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929"],
    efforts: ["off", "minimal", ...lowToHigh],
    context: 200_000,
    output: 64_000,
  },
];

const adaptive: readonly Family[] = [
  {
    ids: ["claude-opus-4-6", "claude-sonnet-4-6"],
    efforts: ["off", "minimal", ...lowToHigh, "max"],
    context: 1_000_000,
    output: 128_000,
  },
  {
    ids: ["claude-opus-4-7", "claude-opus-4-8", "claude-sonnet-5"],
    efforts: scale,
    context: 1_000_000,
    output: 128_000,
  },
  {
    ids: ["claude-fable-5", "claude-fable-5-1", "claude-opus-5"],
    efforts: ["minimal", ...lowToMax],
    context: 1_000_000,
    output: 128_000,
  },
  {
    ids: ["claude-haiku-5-5", "claude-opus-5-5", "claude-sonnet-5-5"],
    efforts: lowToMax,
    context: 1_000_000,
    output: 128_000,
  },
];

function images(provider: Provider, count: number | undefined): ImageLimits | null {
  if (count === 0) return null;
  return count === undefined ? imageLimits[provider] : { ...imageLimits[provider], maxCount: count };
}

function defaultEffort(efforts: readonly Effort[]): Effort {
  return efforts.includes("medium") ? "medium" : (efforts[0] ?? "off");
}

function specs(
  provider: Provider,
  families: readonly Family[],
  reasoning: ModelSpec["reasoning"],
): ModelSpec[] {
  return families.flatMap((family) =>
    family.ids.map((id) => ({
      provider,
      id,
      efforts: family.efforts,
      defaultEffort: defaultEffort(family.efforts),
      images: images(provider, family.images),
      contextTokens: family.context,
      maxOutputTokens: family.output,
      reasoning: family.efforts.length === 1 && family.efforts[0] === "off" ? "none" : reasoning,
    })),
  );
}

// A Map, not an object: "openai/__proto__" and the like must find nothing.
const registry: ReadonlyMap<string, ModelSpec> = new Map(
  [
    ...specs("openai", openai, "effort"),
    ...specs("anthropic", budgeted, "budget"),
    ...specs("anthropic", adaptive, "adaptive"),
  ].map((spec) => [`${spec.provider}/${spec.id}`, spec]),
);

/** Every registered model with its prefix, for example `openai/gpt-6.1-sol`. */
export const MODELS: readonly string[] = [...registry.keys()];

/** What the registry knows of `model` (with its prefix), or null when it is not registered. */
export function modelSpec(model: string): ModelSpec | null {
  return registry.get(model) ?? null;
}
