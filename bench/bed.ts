import type { Respond } from "../local/model/reply.ts";
import { startModelServer } from "../local/model/server.ts";
import { type Backend, backend, customerTool } from "../test/support/api.ts";
import { type Laptop, startLaptop } from "../test/support/laptop.ts";

/** What the measurements run on: the stack in a process of its own, a model that answers at once, one agent. */
export type Bed = {
  readonly laptop: Laptop;
  readonly api: Backend;
  readonly agentId: string;
  /** When the model was asked with a text of that id, by the clock of `performance`. */
  readonly asked: ReadonlyMap<string, number>;
  readonly close: () => Promise<void>;
};

const marker = /bench-\d+/;
const ANSWER = "An answer of about the length that a short question gets, and nothing more than that.";

/** An input whose answer takes minutes. */
export const SLOW = "Take your time.";
const slowAnswer = { text: "word ".repeat(10_000), chunks: 10_000, chunkMs: 20 };

export async function startBed(): Promise<Bed> {
  const asked = new Map<string, number>();
  const respond: Respond = ({ lastUserText, lastScriptOutputs }) => {
    const id = marker.exec(lastUserText ?? "")?.[0];
    if (id !== undefined && !asked.has(id)) asked.set(id, performance.now());
    if (lastUserText === SLOW) return slowAnswer;
    const calls = (lastUserText ?? "").includes("customer") && lastScriptOutputs.length === 0;
    return calls ? { scripts: [`return await tools.get_customer({ customer_id: "c1" })`] } : { text: ANSWER };
  };
  const model = await startModelServer({ respond, keep: 1 });
  const laptop = await startLaptop({ model }).catch(async (error: unknown) => {
    await model.close();
    throw error;
  });
  const api = backend(laptop.url);
  const key = await api.createKey();
  const agent = await api.createAgent({
    model: "openai/gpt-6.1-sol",
    model_api_key_id: key.id,
    instructions: "Answer.",
    tools: [customerTool],
  });
  const close = async () => {
    await laptop.stop();
    await model.close();
  };
  return { laptop, api, agentId: agent.id, asked, close };
}
