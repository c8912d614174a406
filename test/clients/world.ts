import type { ModelCall, Reply } from "../../local/model/reply.ts";
import { startModelServer } from "../../local/model/server.ts";
import { backend } from "../support/api.ts";
import { startLaptop } from "../support/laptop.ts";

const tool = {
  type: "function",
  name: "work",
  description: "Does a piece of work.",
  parameters: {
    type: "object",
    properties: { name: { type: "string" } },
    required: ["name"],
    additionalProperties: false,
  },
};

/** Does what the last input says, `<label> say|one|two`, unless the model has answered it already. */
function respond({ turns }: ModelCall): Reply {
  const last = turns.findLastIndex(({ type }) => type === "user");
  const input = turns[last];
  const done = turns.slice(last + 1).some(({ type }) => type !== "user");
  const [label = "", plan] = input?.type === "user" ? lastLine(input.text).split(" ") : [];
  const count = done ? 0 : plan === "two" ? 2 : plan === "one" ? 1 : 0;
  if (count === 0) return { text: "Done." };
  const calls = Array.from({ length: count }, (_, index) => `tools.work({ name: "${label}/${index}" })`);
  return { scripts: [`return await Promise.all([${calls.join(", ")}])`] };
}

/** Inputs that were applied together may be one turn for the provider. */
const lastLine = (text: string): string => text.trimEnd().split("\n").at(-1) ?? "";

/** The stack, and an agent whose model does what its inputs say. */
export async function world() {
  let asked = 0;
  const model = await startModelServer({
    keep: 1,
    respond: (call) => {
      asked += 1;
      return respond(call);
    },
  });
  const laptop = await startLaptop({ model }).catch(async (error: unknown) => {
    await model.close();
    throw error;
  });
  const api = backend(laptop.url);
  const key = await api.createKey();
  const config = {
    model: "openai/gpt-6.1-sol",
    model_api_key_id: key.id,
    instructions: "Work.",
    tools: [tool],
  };
  const { id: agentId } = await api.createAgent(config);
  return {
    api,
    agentId,
    asked: () => asked,
    close: async () => {
      await laptop.kill();
      await model.close();
    },
  };
}
