import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Event } from "../../contract/schemas/events.ts";
import { Session } from "../../contract/schemas/sessions.ts";
import type { Reply } from "../../local/model/reply.ts";
import { type Answer, codeOf } from "../support/api.ts";
import { checkDense, eventually, only, output, said, settled, type Talk } from "./talk.ts";
import { type Actor, playScript, startWorld, type World } from "./world.ts";

let world: World;
/** Answers at once. */
let quick: Actor;
/** Waits for one call. */
let caller: Actor;

beforeAll(async () => {
  world = await startWorld();
  quick = await world.actor(() => ({ text: "Done." }));
  caller = await world.actor(playScript("return await tools.a()"), { tools: ["a"] });
});
afterAll(() => world.close());

const control = (talk: Talk, what: string, body?: object) =>
  world.api().send("POST", `/sessions/${talk.id}/${what}`, body);
const stop = (talk: Talk, runId: string | null) => control(talk, "stop", { run_id: runId });
const queue = (talk: Talk) =>
  control(talk, "inputs", { mode: "queue", content: [{ type: "text", text: "More" }] });
const cancel = (talk: Talk, inputId: string) =>
  world.api().send("DELETE", `/sessions/${talk.id}/inputs/${inputId}`);

const at = (events: readonly Event[], type: Event["type"]) => events.filter((event) => event.type === type);

/** A status, with the code of an error. */
const told = (answer: Answer) => (answer.status < 400 ? answer.status : `${answer.status} ${codeOf(answer)}`);

/** Plays so many rounds, some at once, which brings out what is rare. */
async function rounds(count: number, round: (n: number) => Promise<void>, width = 5): Promise<void> {
  for (let n = 0; n < count; n += width)
    await Promise.all(Array.from({ length: Math.min(width, count - n) }, (_, i) => round(n + i)));
}

const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

async function waiting() {
  const talk = await caller.talk();
  const input = await talk.send("Begin");
  return { talk, input, runId: input.run_id ?? "", call: only(await talk.calls(1)) };
}

describe("many stops of one run", () => {
  it("are all accepted, and stop it once", async () => {
    const { talk, runId } = await waiting();
    const answers = await Promise.all(times(20, () => stop(talk, runId)));
    for (const answer of answers) {
      expect([200, 202]).toContain(answer.status);
      const { active_run_status, status } = Session.parse(answer.body);
      expect([active_run_status, status]).toEqual(
        answer.status === 202 ? ["stopping", "pausing"] : [null, "paused"],
      );
    }
    expect(answers.map(({ status }) => status)).toContain(202);
    expect((await talk.ended(runId)).status).toBe("stopped");
    const events = await talk.events();
    checkDense(events);
    expect(at(events, "run.stopped")).toHaveLength(1);
    expect(at(events, "tool.cancelled")).toHaveLength(1);
  });

  it("are all acknowledged when it had ended, and leave the next one alone", async () => {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const actor = await world.actor((_, nth) => (nth === 2 ? promise : { text: "Done." }));
    const talk = await actor.talk();
    const old = await talk.ask("One");
    const [next, ...answers] = await Promise.all([talk.send("Two"), ...times(20, () => stop(talk, old.id))]);
    expect(answers.map(told)).toEqual(times(20, () => 200));
    expect((await Promise.all(times(5, () => stop(talk, old.id)))).map(told)).toEqual(times(5, () => 200));
    expect(await talk.session()).toMatchObject({ status: "active", active_run_id: next.run_id });
    resolve({ text: "Still here." });
    expect(said(await talk.ended(next))).toEqual(["Still here."]);
    expect(await talk.eventsOf("run.stopped")).toEqual([]);
  });
});

describe("a stop and a result at once", () => {
  it("leave a receipt or a cancelled call, never both, and a retry says the same", async () => {
    await rounds(20, async (n) => {
      const { talk, runId, call } = await waiting();
      const result = () => talk.submit(runId, { call_id: call.id, ...output(n) });
      // Each of them goes first half of the time.
      const both = n % 2 === 0 ? [result(), stop(talk, runId)] : [stop(talk, runId), result()];
      const answers = await Promise.all(both);
      const [submitted, stopped] = n % 2 === 0 ? answers : answers.toReversed();
      if (submitted === undefined || stopped === undefined) throw new Error("there are two answers");
      const run = await talk.ended(runId);
      const events = await talk.events();
      checkDense(events);
      const settledBy = events
        .filter((e) => "call" in e.data && e.data.call.id === call.id)
        .map((e) => e.type);
      if (submitted.status === 200) expect(settledBy).toEqual(["tool.requested", "tool.completed"]);
      else {
        expect(told(submitted)).toBe("409 tool_call_not_pending");
        expect(settledBy).toEqual(["tool.requested", "tool.cancelled"]);
      }
      expect(told(await result())).toBe(told(submitted));
      expect(["stopped", "completed"]).toContain(run.status);
      if (run.status === "completed") expect([submitted.status, stopped.status]).toEqual([200, 200]);
      expect(at(events, "run.stopped")).toHaveLength(run.status === "stopped" ? 1 : 0);
    });
  });
});

describe("storms of pauses and resumes", () => {
  it("end as the last of them that was accepted says, and the run goes on and completes", async () => {
    await rounds(
      4,
      async () => {
        const { talk, runId, call } = await waiting();
        const storm = await Promise.all(
          times(6, async (client) => {
            const answers: Answer[] = [];
            for (const turn of times(6, (n) => n))
              answers.push(await control(talk, (client + turn) % 2 === 0 ? "pause" : "resume"));
            return answers;
          }),
        );
        const answers = storm.flat();
        const refused = answers.filter(({ status }) => status >= 400);
        expect(new Set(refused.map(told))).toEqual(
          new Set(refused.length > 0 ? ["409 session_pausing"] : []),
        );
        const accepted = answers.filter(({ status }) => status < 400).map(({ body }) => Session.parse(body));
        const last = accepted.reduce((a, b) => (b.last_event_sequence >= a.last_event_sequence ? b : a));
        const rest = last.status === "active" ? "active" : "paused";
        await talk.until(({ status }) => status !== "pausing");
        expect((await talk.session()).status).toBe(rest);
        await talk.settle(call, output(1));
        if (rest === "paused") expect(told(await control(talk, "resume"))).toBe(200);
        const run = await talk.ended(runId);
        expect([run.status, ...said(run)]).toEqual(["completed", "It gave 1"]);
        const events = await talk.events();
        checkDense(events);
        expect(at(events, "tool.requested")).toHaveLength(1);
      },
      2,
    );
  });
});

describe("resumes at once", () => {
  it("start one run, with the oldest queued input", async () => {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const actor = await world.actor((_, nth) => (nth === 1 ? promise : { text: "Later." }));
    const talk = await actor.talk();
    expect(told(await control(talk, "pause"))).toBe(200);
    const inputs = [await talk.send("One"), await talk.send("Two"), await talk.send("Three")];
    const answers = await Promise.all(times(10, () => control(talk, "resume")));
    expect(answers.map(told)).toEqual(times(10, () => 200));
    await eventually(
      () => actor.asked.length,
      (asked) => asked === 1,
    );
    const started = only(await talk.eventsOf("run.started")).data;
    expect(started.run.initial_input_id).toBe(inputs[0]?.id);
    expect(await talk.session()).toMatchObject({
      status: "active",
      active_run_id: started.run.id,
      pending_input_count: 2,
    });
    resolve({ text: "First." });
    await settled(talk);
    const order = (await talk.eventsOf("run.started")).map(({ data }) => data.run.initial_input_id);
    expect(order).toEqual(inputs.map(({ id }) => id));
  });

  it("carry a paused run on once", async () => {
    const { talk, runId, call } = await waiting();
    expect(told(await control(talk, "pause"))).toBe(202);
    await talk.until(({ status }) => status === "paused");
    await talk.settle(call, output(7));
    const asked = caller.asked.length;
    const answers = await Promise.all(times(10, () => control(talk, "resume")));
    expect(answers.map(told)).toEqual(times(10, () => 200));
    expect(said(await talk.ended(runId))).toEqual(["It gave 7"]);
    expect(caller.asked.length - asked).toBe(1);
    expect(await talk.eventsOf("message.completed")).toHaveLength(1);
  });
});

describe("an archive and an input at once", () => {
  it("in a paused session: the input is cancelled with it or refused", async () => {
    await rounds(10, async (n) => {
      const talk = await quick.talk();
      await control(talk, "pause");
      const both =
        n % 2 === 0 ? [queue(talk), control(talk, "archive")] : [control(talk, "archive"), queue(talk)];
      const answers = await Promise.all(both);
      const [sent, archived] = n % 2 === 0 ? answers : answers.toReversed();
      expect(archived && told(archived)).toBe(200);
      expect(await talk.session()).toMatchObject({ status: "archived", pending_input_count: 0 });
      const events = await talk.events();
      expect(events.at(-1)?.type).toBe("session.archived");
      const reasons = at(events, "input.cancelled").map((e) =>
        e.type === "input.cancelled" ? e.data.input.cancellation_reason : null,
      );
      expect(["202 session_archived", "409 session_archived "]).toContain(
        `${sent?.status === 202 ? 202 : sent && told(sent)} ${reasons.join()}`,
      );
    });
  });

  it("in an idle session: the input starts a run and the archive is refused, or the other way round", async () => {
    await rounds(10, async (n) => {
      const talk = await quick.talk();
      const both =
        n % 2 === 0 ? [queue(talk), control(talk, "archive")] : [control(talk, "archive"), queue(talk)];
      const answers = await Promise.all(both);
      const [sent, archived] = (n % 2 === 0 ? answers : answers.toReversed()).map(told);
      await settled(talk);
      const types = (await talk.events()).map(({ type }) => type);
      if (sent === 202) {
        // The archive may also have come after the run's end.
        expect(["409 session_active", 200]).toContain(archived);
        expect(types).toContain("run.completed");
      } else {
        expect([sent, archived]).toEqual(["409 session_archived", 200]);
        expect(types).toEqual(["session.created", "session.archived"]);
      }
    });
  });
});

describe("a cancellation and a dispatch at once", () => {
  it("leave the input cancelled or with a run, and never both", async () => {
    await rounds(10, async (n) => {
      const talk = await quick.talk();
      await control(talk, "pause");
      const input = await talk.send("Hello");
      const [first, second] = [() => cancel(talk, input.id), () => control(talk, "resume")];
      const both = n % 2 === 0 ? [first(), second()] : [second(), first()];
      const answers = (await Promise.all(both)).map(told);
      const [cancelled, resumed] = n % 2 === 0 ? answers : answers.toReversed();
      expect(resumed).toBe(200);
      await settled(talk);
      const now = await talk.input(input.id);
      const started = await talk.eventsOf("run.started");
      if (cancelled === 204) {
        expect(now).toMatchObject({ status: "cancelled", run_id: null });
        expect(started).toEqual([]);
      } else {
        expect(cancelled).toBe("409 input_not_queued");
        expect(now).toMatchObject({ status: "applied", run_id: only(started).data.run.id });
        expect(await talk.eventsOf("input.cancelled")).toEqual([]);
      }
    });
  });

  it("when the run before completes: the same", async () => {
    await rounds(10, async () => {
      const { talk, runId, call } = await waiting();
      const input = await talk.send("Next");
      await talk.settle(call, output(1));
      const answers = await Promise.all(times(5, () => cancel(talk, input.id)));
      await talk.ended(runId);
      const now = await talk.input(input.id);
      const codes = new Set(answers.map(told));
      if (now.status === "cancelled") {
        expect([...codes]).toEqual([204]);
        expect(now.run_id).toBeNull();
      } else {
        expect([...codes]).toEqual(["409 input_not_queued"]);
        await stop(talk, now.run_id);
      }
      expect(await talk.eventsOf("input.cancelled")).toHaveLength(now.status === "cancelled" ? 1 : 0);
    });
  });
});
