import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ModelCall, Reply } from "../../local/model/reply.ts";
import { deltasOf, isOver, openStream } from "../support/sse.ts";
import { isQuestion, isSummary, lastOf, small, tooLong, userTexts } from "./compacting.ts";
import { checkDense, said } from "./talk.ts";
import { type Actor, providers, startWorld, type World } from "./world.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const LONGEST = 1_000;
const padding = "and so on ".repeat(LONGEST / 5);
/** Whether an answer is among the turns that leaves no room for anything else. */
const isFilled = ({ turns }: ModelCall): boolean =>
  turns.some((turn) => {
    const text = turn.type === "assistant" ? turn.text : turn.type === "script" ? turn.source : null;
    return (text?.length ?? 0) > LONGEST;
  });
/** The fish that was named last. */
const fishIn = (call: ModelCall): string =>
  [
    ...userTexts(call)
      .join("\n")
      .matchAll(/fish: (\w+)/g),
  ].at(-1)?.[1] ?? "none";

describe.each(providers)("an answer of %s that leaves no room for another request", (provider) => {
  const { model } = small[provider];
  const actorThat = (first: Reply): Promise<Actor> =>
    world.actor(
      (call) => {
        if (isFilled(call)) return tooLong[provider];
        if (isQuestion(call)) return { text: `A story of a fish: ${fishIn(call)}.` };
        return call.lastUserText === "Tell" ? first : { text: `It is ${fishIn(call)}.` };
      },
      { provider, model },
    );

  it("is summarized from its shortened text, and the conversation goes on", async () => {
    const story = `Once there was a fish: cod. ${padding} The end.`;
    const actor = await actorThat({ text: story });
    const talk = await actor.talk();
    await talk.ask("Hello");
    expect(said(await talk.ask("Tell"))).toEqual([story]);
    const run = await talk.ask("Which fish?");
    expect([run.status, ...said(run)]).toEqual(["completed", "It is cod."]);
    expect(lastOf(actor).turns.filter(isSummary)).toHaveLength(1);
    const asked = actor.asked.length;
    expect(said(await talk.ask("Again?"))).toEqual(["It is cod."]);
    expect(actor.asked).toHaveLength(asked + 1);
    checkDense(await talk.events());
  });

  it("is summarized with what its script gave, and the run goes on", async () => {
    const actor = await actorThat({ scripts: [`return "a fish: hake" // ${padding}`] });
    const talk = await actor.talk();
    const run = await talk.ask("Tell");
    expect([run.status, ...said(run)]).toEqual(["completed", "It is hake."]);
    expect(lastOf(actor).turns.map(({ type }) => type)).toEqual(["user"]);
    expect(said(await talk.ask("Again?"))).toEqual(["It is hake."]);
  });

  it("is not summarized without an end: a run that no summary helps fails once", async () => {
    const actor = await world.actor(
      (call) => (call.turns.length > 1 ? tooLong[provider] : { text: `Once. ${padding}` }),
      { provider, model },
    );
    const talk = await actor.talk();
    await talk.ask("Tell");
    expect(await talk.ask("Again?")).toMatchObject({
      status: "failed",
      error: { code: "model_error", message: expect.stringMatching(/does not fit .* start a new session/) },
    });
    expect(actor.asked.length).toBeLessThanOrEqual(6);
    expect(await talk.eventsOf("run.failed")).toHaveLength(1);
  });
});

describe("an answer that breaks off because it is too long", () => {
  it("is another message in previews than the answer after the compaction", async () => {
    const pace = { chunks: 12, chunkMs: 20 };
    const text = "Half of an answer. ".repeat(20);
    const cut: Reply = {
      text,
      ...pace,
      streamError: { type: "context_length_exceeded", message: "Too much.", after: 10, failed: true },
    };
    const actor = await world.actor((call) => {
      if (isQuestion(call)) return { text: "A summary." };
      if (call.lastUserText !== "Tell" || call.turns.some(isSummary)) return { text, ...pace };
      return cut;
    });
    const talk = await actor.talk();
    await talk.ask(`Hello ${padding}`);
    const stream = await openStream(world.api(), talk.id, { deltas: true });
    expect((await talk.ask("Tell")).status).toBe("completed");
    await stream.until(isOver);
    await stream.close();
    const message = (await talk.eventsOf("message.completed")).at(-1);
    const deltas = deltasOf(stream.frames);
    const ids = [...new Set(deltas.map(({ message_id }) => message_id))];
    expect(ids).toHaveLength(2);
    const own = deltas.filter(({ message_id }) => message_id === message?.data.message.id);
    expect(own.map(({ index }) => index)).toEqual(own.map((_, index) => index));
    expect(own.map((delta) => delta.text).join("")).toBe(text);
    expect(actor.asked.filter(isQuestion)).toHaveLength(1);
  });
});
