import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createModel } from "../../adapters/models/choice.ts";

const message = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Hello.", annotations: [] }],
};
const events = [
  {
    type: "response.output_item.added",
    output_index: 0,
    item: { ...message, status: "in_progress", content: [] },
  },
  {
    type: "response.output_text.delta",
    item_id: "msg_1",
    output_index: 0,
    content_index: 0,
    delta: "Hello.",
  },
  { type: "response.output_item.done", output_index: 0, item: message },
  {
    type: "response.completed",
    response: { id: "resp_1", object: "response", status: "completed", output: [message] },
  },
];

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
});

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => server.close());

it("takes an answer whose server leaves out what is null", async () => {
  const { port } = server.address() as AddressInfo;
  const model = createModel({ openaiBaseUrl: `http://127.0.0.1:${port}/v1` });
  const reply = await model.generate(
    {
      model: "openai/gpt-6.1-sol",
      apiKey: "sk-test-0123456789",
      instructions: "Be brief.",
      tool: { name: "run", description: "Runs.", parameters: { type: "object", required: ["source"] } },
      transcript: [{ type: "user", content: [{ type: "text", text: "Hi" }] }],
      effort: "medium",
      cacheKey: "ses_1",
    },
    { onText: () => undefined },
    new AbortController().signal,
  );
  expect(reply.text).toEqual(["Hello."]);
});
