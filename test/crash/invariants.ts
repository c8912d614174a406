import assert from "node:assert/strict";
import type { Event } from "../../contract/schemas/events.ts";
import { InputList } from "../../contract/schemas/inputs.ts";
import { RunList } from "../../contract/schemas/runs.ts";
import type { ModelCall } from "../../local/model/reply.ts";
import type { Client } from "./client.ts";
import { checkEngine } from "./engine.ts";
import { checkTable } from "./table.ts";

/**
 * What holds of a session at rest, whatever was killed or came twice. `asked` is what the model was asked, which it
 * may be twice for one answer where `asksTwice`. Throws an AssertionError that says what does not hold.
 */
export async function checkInvariants(
  client: Client,
  asked: readonly ModelCall[],
  asksTwice: boolean,
): Promise<void> {
  const events = await client.events();
  logIsDense(events);
  assert.deepEqual(
    await client.received(events.length),
    events,
    "the stream told something else than the log",
  );
  callsSettleOnce(events);
  await runsEndOnce(client, events);
  await inputsAreAccountedFor(client, events);
  asked.forEach(conversationIsWellFormed);
  const answers = await checkTable(client);
  const most = asksTwice ? 2 * answers : answers + client.crashes();
  assert(asked.length <= most, `${answers} answers were asked for ${asked.length} times`);
  await checkEngine(client, events);
}

function logIsDense(events: readonly Event[]): void {
  for (const [index, { sequence, created_at: at }] of events.entries()) {
    assert.equal(sequence, index + 1, "the log has a gap");
    assert(index === 0 || at >= (events[index - 1]?.created_at ?? ""), "the log's time goes back");
  }
}

const count = (names: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

function once(names: readonly string[], what: string): void {
  for (const [name, times] of count(names)) assert.equal(times, 1, `${name} ${what} ${times} times`);
}

function callsSettleOnce(events: readonly Event[]): void {
  const requested = events.flatMap((event) => (event.type === "tool.requested" ? [event.data.call] : []));
  const settled = events.flatMap((event) =>
    event.type === "tool.completed" || event.type === "tool.failed" || event.type === "tool.cancelled"
      ? [event.data.call.id]
      : [],
  );
  once(
    requested.map((call) => call.id),
    "was requested",
  );
  // The arguments name the place in the script: a second id for the same would be a second dispatch.
  once(
    requested.map((call) => JSON.stringify(call.arguments)),
    "was dispatched",
  );
  once(settled, "was settled");
  assert.deepEqual([...settled].sort(), requested.map((call) => call.id).sort(), "a call was never settled");
}

async function runsEndOnce(client: Client, events: readonly Event[]): Promise<void> {
  const started = events.flatMap((event) => (event.type === "run.started" ? [event.data.run.id] : []));
  const ended = events.flatMap((event) =>
    event.type === "run.completed" || event.type === "run.failed" || event.type === "run.stopped"
      ? [event.data.run]
      : [],
  );
  once(started, "was started");
  once(
    ended.map((run) => run.id),
    "ended",
  );
  assert.deepEqual(ended.map((run) => run.id).sort(), [...started].sort(), "a run has not ended");
  const { data } = RunList.parse((await client.read("/runs?limit=100")).body);
  assert.deepEqual(data, ended, "a run's record is not what its last event said");
  const messages = events.flatMap((event) =>
    event.type === "message.completed" ? [event.data.message.id] : [],
  );
  once(messages, "was completed");
  assert.deepEqual(
    data.flatMap((run) => run.messages.map(({ id }) => id)),
    messages,
    "messages differ",
  );
}

async function inputsAreAccountedFor(client: Client, events: readonly Event[]): Promise<void> {
  const { data } = InputList.parse((await client.read("/inputs?limit=100")).body);
  const accepted = events.flatMap((event) => (event.type === "input.accepted" ? [event.data.input.id] : []));
  assert.deepEqual(
    data.map(({ id }) => id),
    accepted,
    "inputs and their events differ",
  );
  const texts = data.flatMap(({ content }) => content.map((block) => JSON.stringify(block)));
  once(texts, "was accepted");
  for (const { id, status } of data) assert.notEqual(status, "accepted", `${id} waits for ever`);
}

/** Every script has exactly one output, right behind the scripts that it came with. */
function conversationIsWellFormed({ turns }: ModelCall): void {
  const scripts = turns.flatMap((turn) => (turn.type === "script" ? [turn.id] : []));
  const outputs = turns.flatMap((turn) => (turn.type === "output" ? [turn.id] : []));
  assert.deepEqual(outputs, scripts, "a script has no output, or more than one");
}
