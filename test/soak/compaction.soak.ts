import type { SFNClient } from "@aws-sdk/client-sfn";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inputWindow } from "../../core/run/size.ts";
import { checkPrefixes, isSummary, lastOf, play, questions, userTexts } from "../runs/compacting.ts";
import { quiet, sfn } from "../runs/history.ts";
import { checkDense, said, settled, type Talk } from "../runs/talk.ts";
import { type Actor, startWorld, type World } from "../runs/world.ts";

const model = "openai/gpt-4";
/** Fifteen turns of this or so come between two compactions. */
const padding = "lorem ipsum ".repeat(60);
/** Each stage has its share of compactions: three or four. */
const STAGE = 50;
const stages = Array.from({ length: 8 }, (_, at) => [at * STAGE + 1, (at + 1) * STAGE] as const);
const TURNS = stages.length * STAGE;
/** No more than the queue of a session takes. */
const BATCH = 25;

let world: World;
let client: SFNClient;
let actor: Actor;
let talk: Talk;

beforeAll(async () => {
  world = await startWorld();
  client = sfn(world.laptop());
  actor = await world.actor(play, { model });
  talk = await actor.talk();
  await talk.ask("Remember the secret eel");
});
afterAll(async () => {
  client?.destroy();
  await world?.close();
});

/** What the stack has done so far. Reads include those with which the test waits. */
async function total() {
  await quiet(client);
  const { dynamodb, s3, transitions } = await world.laptop().counters();
  return {
    transitions,
    writes: dynamodb.capacity.write,
    reads: dynamodb.capacity.read,
    queries: dynamodb.operations["Query"] ?? 0,
    puts: s3["put"] ?? 0,
    gets: s3["get"] ?? 0,
  };
}
type Cost = Awaited<ReturnType<typeof total>>;
const costs: Cost[] = [];

function stage(at: number): Cost {
  const cost = costs.at(at);
  if (cost === undefined) throw new Error("the stage was not measured");
  return cost;
}

describe("a conversation of 400 turns that is compacted again and again", () => {
  it.each(stages)("takes turns %i to %i", async (from, to) => {
    const before = await total();
    for (let first = from; first <= to; first += BATCH) {
      // Queued inputs, each of which becomes a run of its own.
      for (let turn = first; turn < first + BATCH; turn += 1) await talk.send(`note ${turn} ${padding}`);
      await settled(talk);
    }
    const after = await total();
    costs.push({
      transitions: after.transitions - before.transitions,
      writes: after.writes - before.writes,
      reads: after.reads - before.reads,
      queries: after.queries - before.queries,
      puts: after.puts - before.puts,
      gets: after.gets - before.gets,
    });
  });

  it("costs as much at its end as at its beginning", () => {
    const [early, late] = [stage(1), stage(-1)];
    expect(late.transitions).toBe(early.transitions);
    // One compaction more or less, and how long the test waited.
    expect(late.writes).toBeLessThan(early.writes * 1.1);
    expect(late.queries).toBeLessThan(early.queries * 1.1);
    expect(late.reads).toBeLessThan(early.reads * 1.3);
    // One checkpoint is read in a turn, and one is written after a compaction.
    expect(late.gets).toBeLessThanOrEqual(STAGE);
    expect(late.puts).toBeLessThanOrEqual(4);
  });

  it("never asks more than the window takes, and keeps its prefix between two compactions", () => {
    expect(questions(actor).length).toBeGreaterThan(20);
    expect(actor.asked).toHaveLength(1 + TURNS + questions(actor).length);
    const most = Math.max(...actor.requests().map(({ body }) => body.length / 4));
    expect(most).toBeLessThan(inputWindow(model));
    checkPrefixes(actor.requests());
  });

  it("still knows what was said first, and its history is whole", async () => {
    expect(said(await talk.ask("recall"))).toEqual(["It is eel."]);
    const call = lastOf(actor);
    expect(call.turns.filter(isSummary)).toHaveLength(1);
    expect(userTexts(call).filter((text) => text.includes("eel"))).toHaveLength(1);
    const events = await talk.events();
    checkDense(events);
    expect(events.filter(({ type }) => type === "run.completed")).toHaveLength(TURNS + 2);
  });
});
