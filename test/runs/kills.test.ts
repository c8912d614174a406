import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Input, InputList } from "../../contract/schemas/inputs.ts";
import { RunList } from "../../contract/schemas/runs.ts";
import { checkDense, eventually, output, type Talk } from "./talk.ts";
import { type Actor, startWorld, type World } from "./world.ts";

const SESSIONS = 8;
const MOST_INPUTS = 6;
/** The longest time between an accepted input and the kill. */
const LONGEST_MS = 300;

let world: World;
let actor: Actor;

beforeAll(async () => {
  world = await startWorld({ kept: true });
  // Short answers with and without a call, so that a kill finds runs in every phase.
  actor = await world.actor(
    ({ lastScriptOutputs, lastUserText }) =>
      lastUserText.startsWith("call") && lastScriptOutputs.length === 0
        ? { scripts: ["return await tools.look_up()"] }
        : { text: "Done.", chunks: 3, chunkMs: 10 },
    { tools: ["look_up"] },
  );
});
afterAll(() => world.close());

const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const random = (below: number) => Math.floor(Math.random() * below);

/** Sends inputs and answers calls until the kill; gives the inputs that were accepted. */
async function work(talk: Talk, kind: string, onAccepted: () => void): Promise<Input[]> {
  const accepted: Input[] = [];
  const send = async (mode: string) => {
    accepted.push(await talk.send(`${kind} ${mode}`, { mode }));
    onAccepted();
  };
  try {
    for (let sent = 0; sent < MOST_INPUTS; sent += 1) {
      await Promise.all([send(random(2) === 0 ? "queue" : "steer"), answer(talk)]);
      await delay(random(100));
    }
  } catch (error) {
    // What the kill cuts off was not answered, so nothing is owed for it.
    if (!(error instanceof TypeError)) throw error;
  }
  return accepted;
}

/** Answers one call, if the session comes to have one. */
async function answer(talk: Talk): Promise<void> {
  for (let tries = 0; tries < 10; tries += 1) {
    const call = (await talk.session()).pending_tool_calls[0];
    if (call !== undefined) return void (await talk.submit(call.run_id, { call_id: call.id, ...output(1) }));
    await delay(10);
  }
}

/** Answers calls until the session can go no further by itself. */
async function settle(talk: Talk): Promise<void> {
  await eventually(
    async () => {
      const session = await talk.session();
      if (session.status === "active") {
        for (const call of session.pending_tool_calls) {
          await talk.submit(call.run_id, { call_id: call.id, ...output(1) });
        }
      }
      return session;
    },
    ({ status, active_run_id: run }) => status === "paused" || run === null,
  );
}

/** Every accepted input is in one place, and the session is at rest. */
async function check(talk: Talk, accepted: readonly Input[]): Promise<string> {
  const session = await talk.session();
  const events = await talk.events();
  checkDense(events);
  const list = async <T>(schema: { parse(value: unknown): T }, path: string) =>
    schema.parse((await world.api().send("GET", `/sessions/${talk.id}/${path}?limit=100`)).body);
  const inputs = (await list(InputList, "inputs")).data;
  const runs = (await list(RunList, "runs")).data;
  for (const { id } of accepted) expect(inputs.map((input) => input.id)).toContain(id);
  const interrupted = runs.filter(({ status }) => status === "interrupted");
  expect(runs.filter(({ status }) => status !== "completed")).toEqual(interrupted);
  expect(session.status).toBe(interrupted.length > 0 ? "paused" : "active");
  for (const input of inputs) {
    const appliedBy = runs.filter((run) => run.applied_input_ids.includes(input.id));
    if (input.status === "applied") expect(appliedBy.map(({ id }) => id)).toEqual([input.run_id]);
    else expect([input.status, appliedBy.length, session.status]).toEqual(["accepted", 0, "paused"]);
  }
  const count = (type: string, key: (event: (typeof events)[number]) => string) => {
    const keys = events.flatMap((event) => (event.type === type ? [key(event)] : []));
    expect(new Set(keys).size, `${type} happens once`).toBe(keys.length);
  };
  const subject = (event: (typeof events)[number]): string => {
    if ("run" in event.data) return event.data.run.id;
    if ("input" in event.data) return event.data.input.id;
    return "call" in event.data ? event.data.call.id : event.id;
  };
  for (const type of ["run.started", "run.completed", "run.interrupted", "input.accepted", "input.applied"]) {
    count(type, subject);
  }
  for (const type of ["tool.requested", "tool.completed"]) count(type, subject);
  return interrupted[0]?.error?.code ?? "completed";
}

describe("however a kill and the work of sessions meet", () => {
  it.each([SESSIONS / 2, 3 * SESSIONS])(
    "every accepted input is applied once or still queued, and nothing waits for ever (kill after %i inputs)",
    async (inputs) => {
      const talks = await Promise.all(Array.from({ length: SESSIONS }, () => actor.talk()));
      let count = 0;
      const working = talks.map((talk, index) =>
        work(talk, index % 2 === 0 ? "call" : "text", () => {
          count += 1;
        }),
      );
      await eventually(
        () => count,
        (reached) => reached >= inputs,
      );
      await delay(random(LONGEST_MS));
      await world.down("kill");
      const accepted = await Promise.all(working);
      await world.up();
      await Promise.all(talks.map(settle));
      const ends = await Promise.all(talks.map((talk, index) => check(talk, accepted[index] ?? [])));
      for (const end of ends) expect(["completed", "harness_lost"]).toContain(end);
      expect(accepted.flat().length).toBeGreaterThan(0);
    },
  );

  it("a queue goes on when the kill comes right after a run completed", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const speaker = await world.actor(async () => {
      await released;
      // Not all at once, so that the kill finds some before, some in and some after the commit.
      await delay(random(60));
      return { text: "Done." };
    });
    const talks = await Promise.all(Array.from({ length: SESSIONS }, () => speaker.talk()));
    const accepted = await Promise.all(
      talks.map(async (talk) => [await talk.send("first"), await talk.send("second")]),
    );
    await eventually(
      () => speaker.asked.length,
      (count) => count === SESSIONS,
    );
    release();
    const firstEnded = talks.map((talk, index) => talk.ended(accepted[index]?.[0]?.run_id ?? ""));
    await Promise.any(firstEnded);
    await world.down("kill");
    await Promise.allSettled(firstEnded);
    await world.up();
    await Promise.all(talks.map(settle));
    const ends = await Promise.all(talks.map((talk, index) => check(talk, accepted[index] ?? [])));
    expect(ends.length).toBe(SESSIONS);
    const started = await Promise.all(talks.map((talk) => talk.eventsOf("run.started")));
    expect(Math.max(...started.map((runs) => runs.length))).toBe(2);
  });
});
