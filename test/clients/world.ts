import { startModelServer } from "../../local/model/server.ts";
import { backend } from "../support/api.ts";
import { startLaptop } from "../support/laptop.ts";
import { playWork, workTool } from "../support/work-agent.ts";

/** The stack, and an agent whose model does what its inputs say. */
export async function world() {
  let asked = 0;
  const model = await startModelServer({
    keep: 1,
    respond: (call) => {
      asked += 1;
      return playWork(call);
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
    tools: [workTool],
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
