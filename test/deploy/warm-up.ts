import { backend, customerTool, isIdle, isWaiting } from "../support/api.ts";

/** Cold starts of several workers at once, on a small machine. */
const PATIENCE_MS = 90_000;

/** Has every function on a run's way answer once, so that no test's own patience is spent on cold starts. */
export async function warmUp(url: string, key: string): Promise<void> {
  const api = backend(url, key);
  const { id: modelKey } = await api.createKey();
  const agent = await api.createAgent({
    model: "openai/gpt-6.1-sol",
    model_api_key_id: modelKey,
    instructions: "Help.",
    tools: [customerTool],
  });
  await Promise.all([0, 1].map(() => talk(api, agent.id)));
}

async function talk(api: ReturnType<typeof backend>, agent: string): Promise<void> {
  const { id } = await api.createSession(agent);
  await api.sendInput(id, "Please look up get_customer for customer_123.");
  const [call] = (await api.until(id, isWaiting, PATIENCE_MS)).pending_tool_calls;
  if (call === undefined) throw new Error("the first run made no call");
  const results = [{ call_id: call.id, success: true, output: null }];
  await api.send("POST", `/sessions/${id}/tool-results`, { run_id: call.run_id, results });
  await api.until(id, isIdle, PATIENCE_MS);
}
