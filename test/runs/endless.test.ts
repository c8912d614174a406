import { afterAll, beforeAll, expect, it } from "vitest";
import { startModelServer } from "../../local/model/server.ts";
import { backend, isIdle } from "../support/api.ts";
import { type Laptop, startLaptop } from "../support/laptop.ts";

const NINE_MEBI = "x".repeat(9 * 1024 * 1024);
let model: Awaited<ReturnType<typeof startModelServer>>;
let laptop: Laptop;

beforeAll(async () => {
  model = await startModelServer({ respond: () => ({ text: NINE_MEBI, chunks: 100 }) });
  laptop = await startLaptop({ model });
});
afterAll(async () => {
  await laptop?.stop();
  await model?.close();
});

it("fails a run with model_error when an answer grows without end", async () => {
  const api = backend(laptop.url);
  const key = await api.createKey();
  const agent = await api.createAgent({
    model: "openai/gpt-6.1-sol",
    model_api_key_id: key.id,
    instructions: "x",
  });
  const session = await api.createSession(agent.id);
  const { run_id } = await api.sendInput(session.id, "Go on for ever.");
  await api.until(session.id, isIdle, 20_000);
  expect(await api.run(session.id, run_id ?? "")).toMatchObject({
    status: "failed",
    error: { code: "model_error" },
  });
});
