import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { largestAnswer } from "../../contract/answer-size.ts";
import { codeOf } from "../support/api.ts";
import { idsOf, pageOf } from "../support/pages.ts";
import { eventsOf, openStream } from "../support/sse.ts";
import { settled, type Talk } from "./talk.ts";
import { startWorld, type World } from "./world.ts";

let world: World;
let talk: Talk;
let runs: readonly string[];

/** Quotes, of which each takes four bytes of an answer: two messages of them are more than one carries. */
const large = '"'.repeat(largestAnswer / 4 / 2);

beforeAll(async () => {
  world = await startWorld();
  const actor = await world.actor(({ lastUserText, lastScriptOutputs }) => {
    if (lastUserText !== "At length") return { text: "Briefly." };
    return lastScriptOutputs.length > 0 ? { text: large } : { text: large, scripts: ["return 1"] };
  });
  talk = await actor.talk();
  const made = [];
  for (const text of ["Briefly", "At length", "Briefly"]) {
    made.push(await talk.send(text));
    await settled(talk);
  }
  runs = made.map(({ run_id }) => String(run_id));
});
afterAll(() => world.close());

/** The way past that an error tells of. */
async function pastTheRefusal(path: string): Promise<string> {
  const { status, body } = await world.api().send("GET", path);
  expect([status, codeOf({ status, headers: new Headers(), body })]).toEqual([500, "internal_error"]);
  return /cursor=([\w-]+)/.exec(JSON.stringify(body))?.[1] ?? "none";
}

describe("a run whose messages are more than an answer carries", () => {
  it("is refused in the envelope where it is read alone", async () => {
    const answer = await world.api().send("GET", `/sessions/${talk.id}/runs/${runs[1]}`);
    expect([answer.status, codeOf(answer)]).toEqual([500, "internal_error"]);
    expect(JSON.stringify(answer.body)).toContain("larger than an answer may be");
  });

  it("does not keep the others from being listed", async () => {
    const path = `/sessions/${talk.id}/runs`;
    const first = await pageOf(world.api(), path, "limit=100");
    expect(idsOf(first.data)).toEqual([runs[0]]);
    const past = await pastTheRefusal(`${path}?cursor=${first.next_cursor}`);
    const last = await pageOf(world.api(), path, "limit=100", past);
    expect([idsOf(last.data), last.next_cursor]).toEqual([[runs[2]], null]);
  });

  it("is in the stream whole, and each of its messages in the history", async () => {
    const stream = await openStream(world.api(), talk.id, { after: await firstEvent() });
    await stream.until(
      (frames) => eventsOf(frames).filter(({ type }) => type === "run.completed").length === 3,
    );
    await stream.close();
    const [, told] = eventsOf(stream.frames).filter(({ type }) => type === "run.completed");
    if (told?.type !== "run.completed") throw new Error("the run's end was not told");
    const texts = told.data.run.messages.map(({ content: [block] }) => block?.type === "text" && block.text);
    expect(texts).toEqual([large, large]);
    expect(await listedUpTo(told.id)).toEqual(idsOf(eventsOf(stream.frames)).filter((id) => id < told.id));
  });
});

const firstEvent = async (): Promise<string> =>
  String(idsOf((await pageOf(world.api(), `/sessions/${talk.id}/events`, "limit=1")).data)[0]);

/** Ids of the history's events before the one that no page carries, without the very first. */
async function listedUpTo(id: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await pageOf(world.api(), `/sessions/${talk.id}/events`, "limit=100", cursor);
    ids.push(...idsOf(page.data));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && Number(ids.at(-1)?.slice(-10)) < Number(id.slice(-10)) - 1);
  return ids.slice(1);
}
