import type { ModelCall, Reply } from "../../local/model/reply.ts";

/** The function of an agent that works as its inputs say; `name` tells each call from every other. */
export const workTool = {
  type: "function",
  name: "work",
  description: "Does a piece of work.",
  parameters: {
    type: "object",
    properties: { name: { type: "string" } },
    required: ["name"],
    additionalProperties: false,
  },
} as const;

/**
 * Plays its model. The last input says what to do, `<label> <count>`: call the function so often in one batch, named
 * `<label>/<nth>`, and then answer. Without a count, or once the model has answered the input, it just answers. With
 * `unawaited` as a third word the script awaits none of its calls.
 */
export function playWork({ turns }: ModelCall): Reply {
  const last = turns.findLastIndex(({ type }) => type === "user");
  const input = turns[last];
  const done = turns.slice(last + 1).some(({ type }) => type !== "user");
  const [label = "", count = "0", how] = input?.type === "user" ? lastLine(input.text).split(" ") : [];
  if (done || count === "0") return { text: `Done with ${label}.` };
  const calls = Array.from({ length: Number(count) }, (_, at) => `tools.work({ name: "${label}/${at}" })`);
  return {
    scripts: [how === "unawaited" ? calls.join(";") : `return await Promise.all([${calls.join(", ")}])`],
  };
}

/** Inputs that were applied together may be one turn for the provider. */
const lastLine = (text: string): string => text.trimEnd().split("\n").at(-1) ?? "";
