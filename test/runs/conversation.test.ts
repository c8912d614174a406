import { ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commonPrefix, type RecordedRequest } from "../../local/model/record.ts";
import { quiet, sfn } from "./history.ts";
import { only, output, said, settled, type Talk } from "./talk.ts";
import { type Actor, startWorld, type World } from "./world.ts";

/** One line of text, of which the turns of a conversation make more than a checkpoint waits for. */
const PADDING = "lorem ipsum ".repeat(70);

let world: World;

const play = ({ lastUserText, lastScriptOutputs, turns }: Actor["asked"][number]) => {
  if (lastScriptOutputs.length > 0) return { text: `It gave ${lastScriptOutputs.join()}` };
  if (lastUserText.startsWith("call")) return { scripts: ["return await tools.look_up()"] };
  if (!lastUserText.startsWith("recall")) return { text: `Heard. ${PADDING}` };
  const first = turns.find((turn) => turn.type === "user");
  return { text: `The first was ${first?.type === "user" ? first.text.slice(0, 6) : "lost"}` };
};

/** Where the conversation ends in a body: what comes after may change from one request to the next. */
function endOfConversation({ body, provider }: RecordedRequest): number {
  return body.lastIndexOf(provider === "openai" ? '],"reasoning"' : '],"thinking"');
}

function checkPrefixes(requests: readonly RecordedRequest[]): void {
  requests.slice(1).forEach((request, index) => {
    const before = requests[index];
    if (before === undefined) throw new Error("there is one before");
    const end = endOfConversation(before);
    expect(end).toBeGreaterThan(0);
    expect(commonPrefix(before.body, request.body)).toBeGreaterThanOrEqual(end);
    expect(request.body.length).toBeGreaterThan(before.body.length);
  });
}

const textOf = (turn: number) => `turn ${turn} ${PADDING}`;

/** Queues text turns, each of which becomes a run of its own, and waits for the last. */
async function takeTurns(talk: Talk, from: number, to: number): Promise<void> {
  const inputs = [];
  for (let turn = from; turn <= to; turn += 1) inputs.push(await talk.send(textOf(turn)));
  await settled(talk);
  const last = await talk.input(inputs.at(-1)?.id ?? "");
  expect(said(await talk.run(last.run_id ?? ""))).toEqual([`Heard. ${PADDING}`]);
}

async function takeCall(talk: Talk, turn: number): Promise<void> {
  const input = await talk.send(`call ${turn}`);
  await talk.settle(only(await talk.calls(1)), output(turn));
  expect(said(await talk.ended(input))).toEqual([`It gave ${turn}`]);
}

type Cost = { readonly units: number; readonly transitions: number };

/** What one text run costs. */
async function costOf(talk: Talk, turn: number): Promise<Cost> {
  const client = sfn(world.laptop());
  await quiet(client);
  const before = await world.laptop().counters();
  await takeTurns(talk, turn, turn);
  await quiet(client);
  client.destroy();
  const after = await world.laptop().counters();
  return {
    units: after.dynamodb.capacity.write - before.dynamodb.capacity.write,
    transitions: after.transitions - before.transitions,
  };
}

/** The checkpoints of a session, by the bytes that they hold. */
async function checkpoints(sessionId: string): Promise<{ size: number }[]> {
  const client = new S3Client({
    endpoint: world.laptop().endpoints.s3,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  const Prefix = `sessions/${sessionId}/transcript/`;
  const { Contents } = await client.send(new ListObjectsV2Command({ Bucket: "stepyard", Prefix }));
  client.destroy();
  return (Contents ?? []).map(({ Size }) => ({ size: Size ?? 0 }));
}

/** How long the conversations are; both hold more than one checkpoint. */
const lengths = { openai: 60, anthropic: 24 };
const callAt = 11;

type Conversation = {
  readonly actor: Actor;
  readonly talk: Talk;
  readonly turns: number;
  readonly costs: Cost[];
};
let conversations: Record<keyof typeof lengths, Conversation>;

async function begin(provider: keyof typeof lengths): Promise<Conversation> {
  const actor = await world.actor(play, { provider, tools: ["look_up"] });
  const talk = await actor.talk();
  await takeTurns(talk, 1, 1);
  return { actor, talk, turns: lengths[provider], costs: [await costOf(talk, 2)] };
}

/** Text and a call up to the middle. */
async function grow({ talk, turns }: Conversation): Promise<void> {
  await takeTurns(talk, 3, callAt - 1);
  await takeCall(talk, callAt);
  await takeTurns(talk, callAt + 1, turns / 2);
}

async function growOn({ talk, turns }: Conversation): Promise<void> {
  await takeCall(talk, turns / 2 + 1);
  await takeTurns(talk, turns / 2 + 2, turns - 1);
}

beforeAll(async () => {
  world = await startWorld({ kept: true });
  conversations = { openai: await begin("openai"), anthropic: await begin("anthropic") };
  const all = Object.values(conversations);
  await Promise.all(all.map(grow));
  await world.down();
  await world.up();
  await Promise.all(all.map(growOn));
  for (const { talk, turns, costs } of all) costs.push(await costOf(talk, turns));
});
afterAll(() => world.close());

describe.each(["openai", "anthropic"] as const)(
  "a conversation of %s over calls and a restart",
  (provider) => {
    it("costs as much at its end as at its beginning", () => {
      const [early, late] = conversations[provider].costs;
      if (early === undefined || late === undefined) throw new Error("both were measured");
      expect(early.units).toBeGreaterThan(0);
      expect(late.transitions).toBe(early.transitions);
      expect(Math.abs(late.units - early.units)).toBeLessThanOrEqual(2);
    });

    it("only grows: every request begins with the bytes of the one before", () => {
      const { actor, turns } = conversations[provider];
      expect(actor.asked).toHaveLength(turns + 2);
      checkPrefixes(actor.requests());
    });

    it("is checkpointed, and remembers how it began", async () => {
      const { actor, talk } = conversations[provider];
      // Segments hold what is new in them: there are a few, however often the conversation was read.
      const objects = await checkpoints(talk.id);
      expect(objects.length).toBeGreaterThanOrEqual(1);
      expect(objects.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(
        actor.requests().at(-1)?.body.length ?? 0,
      );
      expect(said(await talk.ask("recall"))).toEqual(["The first was turn 1"]);
      checkPrefixes(actor.requests().slice(-2));
    });
  },
);
