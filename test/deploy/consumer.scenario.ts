import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBlobs } from "../../adapters/aws/blobs.ts";
import { documentClient, s3Client } from "../../adapters/aws/clients.ts";
import { createSessionStore } from "../../adapters/aws/session-store.ts";
import { systemClock } from "../../adapters/system/clock.ts";
import { timestamp } from "../../core/ports/clock.ts";
import type { SessionStore } from "../../core/ports/store.ts";
import { submitResults } from "../../core/session/decide/calls.ts";
import { sendInput } from "../../core/session/decide/inputs.ts";
import { handle } from "../../core/session/handle.ts";

import { customerTool, isIdle, isWaiting } from "../support/api.ts";
import { type Target, target } from "../support/target.ts";

const table = process.env["STEPYARD_TEST_TABLE"];
const bucket = process.env["STEPYARD_TEST_BUCKET"];
/** Half of what has to pass before the sweep looks at a run that nothing has begun. */
const beforeSweep = 30_000;

/** Commits as the functions do, to the deployed table, and does nothing of what has to follow. */
function deadCommitter(tableName: string, bucketName: string) {
  const blobs = createBlobs({ client: s3Client(), bucket: bucketName });
  const store: SessionStore = createSessionStore({
    client: documentClient(),
    table: tableName,
    blobs,
    now: systemClock.now,
  });
  const ports = { store, clock: systemClock };
  const at = () => timestamp(systemClock);
  return {
    input: (sessionId: string, text: string) =>
      handle(ports, sessionId, ({ state }) => {
        const content = { inline: [{ type: "text", text }] };
        return sendInput(state, { mode: "queue", effort: "medium", content }, at());
      }),
    result: (sessionId: string, runId: string, callId: string) =>
      handle(ports, sessionId, async ({ state }) => {
        const results = [{ callId, outcome: { output: { inline: { name: "Ada Quizzaciously" } } } }];
        const records = await store.calls(sessionId, [callId]);
        return submitResults(state, { runId, results, records, at: at() });
      }),
  };
}

describe.skipIf(table === undefined || bucket === undefined)("the consumer of the table's stream", () => {
  const committer = deadCommitter(table ?? "", bucket ?? "");
  let stack: Target;
  let agent: string;

  beforeAll(async () => {
    stack = await target();
    const key = await stack.api.createKey();
    const config = { model: "openai/gpt-6.1-sol", model_api_key_id: key.id, tools: [customerTool] };
    agent = (await stack.api.createAgent({ ...config, instructions: "Help." })).id;
  });
  afterAll(() => stack?.close());

  it("starts a run whose committer died after the commit", async () => {
    const { api } = stack;
    const { id } = await api.createSession(agent);
    expect(await committer.input(id, "Hello.")).toMatchObject({ outcome: "committed" });
    await api.until(id, isIdle, beforeSweep);
    expect((await api.events(id)).map(({ type }) => type)).toContain("run.completed");
  });

  it("wakes a run whose committer died after it had stored a result", async () => {
    const { api } = stack;
    const { id } = await api.createSession(agent);
    await api.sendInput(id, "Please look up get_customer for customer_123.");
    const [call] = (await api.until(id, isWaiting, beforeSweep)).pending_tool_calls;
    if (call === undefined) throw new Error("the run made no call");
    expect(await committer.result(id, call.run_id, call.id)).toMatchObject({ outcome: "committed" });
    await api.until(id, isIdle, beforeSweep);
    expect(JSON.stringify(await api.run(id, call.run_id))).toContain("Quizzaciously");
  });
});
