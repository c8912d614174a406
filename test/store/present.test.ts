import { expect, test } from "vitest";
import { Event } from "../../contract/schemas/events.ts";
import { Session } from "../../contract/schemas/sessions.ts";
import { presentEvents } from "../../core/present/events.ts";
import { presentSession } from "../../core/present/session.ts";
import { loadRecords } from "../../core/present/sources.ts";
import { isPublic } from "../../core/session/events.ts";
import {
  answer,
  apply,
  end,
  expire,
  fail,
  failed,
  lose,
  ok,
  queue,
  request,
  steer,
  submit,
} from "../support/commands.ts";
import { at, type Command } from "../support/specification.ts";
import { open, startStores } from "./harness.ts";
import { pastIn, proceed } from "./proceed.ts";

const stores = await startStores();
const { store, blobs } = stores;

/** Commits the steps and presents the whole log, each event as the contract has it. */
async function present(...steps: readonly Command[]) {
  const { id } = await open(stores, { input: "queue" });
  await proceed(store, id, ...steps);
  const past = await pastIn(store, id);
  const events = await presentEvents({ store, blobs }, past.state, past.events.filter(isPublic));
  return { id, past, events: (events ?? []).map((event) => Event.parse(event)) };
}

const dataOf = (events: readonly Event[], type: Event["type"]) =>
  events.filter((event) => event.type === type).map(({ data }) => data);

test("a log is presented as the contract says, event by event", async () => {
  const { id, events } = await present(
    apply(),
    steer("low"),
    answer(1),
    request(3),
    submit(ok(0, { name: "Ann" }), failed(1)),
    queue(),
    at(700, expire()),
    end(),
    answer(),
    apply(),
    answer(1),
    request(),
    fail(),
  );
  expect(events.map(({ id: eventId }) => eventId)).toEqual(
    events.map((_, n) => `evt_${id.slice(4)}${String(n + 1).padStart(10, "0")}`),
  );
  expect(dataOf(events, "tool.completed")).toMatchObject([
    { call: { status: "completed", result: { name: "Ann" } } },
  ]);
  expect(dataOf(events, "tool.failed")).toMatchObject([
    { call: { error: { code: "not_there" } } },
    { call: { error: { code: "tool_result_timeout" }, result: null } },
  ]);
  expect(dataOf(events, "tool.cancelled")).toMatchObject([
    { call: { error: { code: "tool_call_cancelled" } } },
  ]);
});

test("an event shows what was so then, whatever came later", async () => {
  const { events } = await present(
    apply(),
    queue(),
    answer(1),
    request(),
    submit(ok(0)),
    end(),
    answer(),
    apply(),
    answer(),
  );
  expect(dataOf(events, "input.accepted")).toMatchObject([
    { input: { status: "accepted", applied_at: null } },
    { input: { status: "accepted", run_id: null } },
  ]);
  expect(dataOf(events, "tool.requested")).toMatchObject([{ call: { status: "requested", result: null } }]);
  expect(dataOf(events, "run.started")).toMatchObject([
    { run: { status: "running", applied_input_ids: [], messages: [] } },
    { run: { status: "running", applied_input_ids: [], messages: [] } },
  ]);
  const completed = events.filter((event) => event.type === "run.completed");
  expect(completed.map(({ data }) => data.run.messages.length)).toEqual([2, 1]);
});

test("an interrupted run shows the messages that it had", async () => {
  const { events } = await present(apply(), answer(1), request(2), lose());
  expect(dataOf(events, "run.interrupted")).toMatchObject([
    { run: { status: "interrupted", ended_at: null, error: { code: "harness_lost" }, messages: [{}] } },
  ]);
});

test("a session shows its calls in the order of their requests", async () => {
  const { id, past } = await present(apply(), answer(1), request(3), submit(ok(1)));
  const pending = past.state.run?.calls.map((call) => call.id) ?? [];
  const records = await loadRecords({ store, blobs }, id, { calls: pending });
  if (records === null) throw new Error("the session is there");
  const session = Session.parse(await presentSession(blobs, records, past.state));
  expect(session).toMatchObject({
    status: "active",
    active_run_status: "waiting_for_tools",
    pending_input_count: 0,
  });
  expect(session.pending_tool_calls.map(({ arguments: args }) => args)).toEqual([
    { customer_id: "c0" },
    { customer_id: "c2" },
  ]);
});

test("events of a session that is gone are nothing", async () => {
  const { past } = await present(apply());
  const gone = { id: "ses_gone", createdAt: past.state.createdAt };
  expect(await presentEvents({ store, blobs }, gone, past.events.filter(isPublic).slice(0, 1))).toBeNull();
});
