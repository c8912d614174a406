import { GetExecutionHistoryCommand, type HistoryEvent, ListExecutionsCommand } from "@aws-sdk/client-sfn";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sfnClient } from "../../adapters/aws/clients.ts";
import { type Backend, customerTool, isIdle, isWaiting } from "../support/api.ts";
import { eventsOf, isOver, openStream } from "../support/sse.ts";
import { type Target, target } from "../support/target.ts";

const stateMachineArn = process.env["STEPYARD_TEST_STATE_MACHINE"];
const sfn = sfnClient();
const secret = "an unlikely word: quizzaciously";
const modelKey = "sk-test-never-in-history-0123456789";
/** A worker that starts cold takes seconds on a small machine. */
const patience = 30_000;

let stack: Target;
let api: Backend;
let agent: string;

beforeAll(async () => {
  stack = await target();
  api = stack.api;
  const key = await api.createKey("openai", modelKey);
  const config = {
    model: "openai/gpt-6.1-sol",
    model_api_key_id: key.id,
    instructions: "Help.",
    tools: [customerTool],
  };
  agent = (await api.createAgent(config)).id;
});
afterAll(() => stack?.close());

/** The execution's history once it has ended. */
async function history(runId: string): Promise<HistoryEvent[]> {
  const listed = await sfn.send(new ListExecutionsCommand({ stateMachineArn }));
  const executionArn = listed.executions?.find(({ name }) => name?.startsWith(runId))?.executionArn;
  if (executionArn === undefined) throw new Error(`no execution is named after ${runId}`);
  const deadline = Date.now() + patience;
  for (;;) {
    const { events = [] } = await sfn.send(
      new GetExecutionHistoryCommand({ executionArn, maxResults: 1000 }),
    );
    if (/^Execution(Succeeded|Failed|TimedOut|Aborted)$/.test(events.at(-1)?.type ?? "")) return events;
    if (Date.now() > deadline) throw new Error(`the execution stays at ${events.at(-1)?.type}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const entered = (events: readonly HistoryEvent[]) =>
  events.flatMap(({ stateEnteredEventDetails }) => stateEnteredEventDetails?.name ?? []);

describe("a deployed stack", () => {
  it("runs a text input in five transitions that carry ids only", async () => {
    const { id } = await api.createSession(agent);
    const input = await api.sendInput(id, `Hello. ${secret}`);
    await api.until(id, isIdle, patience);
    const log = await api.events(id);
    const runs = log.flatMap((event) => (event.type === "run.completed" ? [event.data.run] : []));
    expect(runs.map(({ initial_input_id }) => initial_input_id)).toEqual([input.id]);
    const events = await history(runs[0]?.id ?? "");
    expect(entered(events)).toEqual(["Advance", "Next", "Done"]);
    expect(events.at(-1)?.type).toBe("ExecutionSucceeded");
    expect(JSON.stringify(events)).toContain(id);
    expect(JSON.stringify(events)).not.toMatch(/quizzaciously|Hello|never-in-history/);
  });

  it("waits for a function's result in the state machine, and the result wakes it", async () => {
    const { id } = await api.createSession(agent);
    await api.sendInput(id, "Please look up get_customer for customer_123.");
    const [call] = (await api.until(id, isWaiting, patience)).pending_tool_calls;
    if (call === undefined) throw new Error("the run made no call");
    const results = [{ call_id: call.id, success: true, output: { name: "Ada Quizzaciously" } }];
    const answer = await api.send("POST", `/sessions/${id}/tool-results`, { run_id: call.run_id, results });
    expect(answer.status).toBe(200);
    await api.until(id, isIdle, patience);
    const run = await api.run(id, call.run_id);
    expect(run.status).toBe("completed");
    expect(JSON.stringify(run.messages)).toContain("Quizzaciously");
    const events = await history(call.run_id);
    expect(entered(events)).toEqual(["Advance", "Next", "Await", "Advance", "Next", "Done"]);
    expect(JSON.stringify(events)).not.toMatch(/quizzaciously/i);
  });

  it("streams the events of a run while it goes on", async () => {
    const { id } = await api.createSession(agent);
    const stream = await openStream(api, id);
    await api.sendInput(id, "Hello");
    await stream.until(isOver, patience);
    expect(stream.ended()).toBeNull();
    const log = await api.events(id);
    expect(eventsOf(stream.frames)).toEqual(log.filter(({ type }) => type !== "session.created"));
    await stream.close();
  });
});
