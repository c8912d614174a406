import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inputWindow } from "../../core/run/size.ts";
import type { Reply } from "../../local/model/reply.ts";
import {
  checkPrefixes,
  isQuestion,
  isSummary,
  lastOf,
  play,
  questions,
  small,
  tooLong,
  untilQuestion,
  userTexts,
} from "./compacting.ts";
import { checkDense, said, type Talk } from "./talk.ts";
import { type Actor, providers, startWorld, type World } from "./world.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld({ kept: true });
});
afterAll(() => world.close());

/** Asks until the conversation was compacted so often. Gives the number of runs. */
async function fill(actor: Actor, talk: Talk, padding: string, compactions = 1): Promise<number> {
  let turn = 0;
  while (questions(actor).length < compactions) {
    turn += 1;
    if (turn > 60) throw new Error("the conversation was never compacted");
    const run = await talk.ask(`${turn % 3 === 0 ? "script" : "note"} ${turn} ${padding}`);
    expect(run).toMatchObject({ status: "completed", error: null });
  }
  return turn;
}

describe.each(providers)("a conversation of %s that outgrows the window", (provider) => {
  const { model, padding } = small[provider];

  it("goes on from summaries: it knows what only they say, and what clients see stays whole", async () => {
    const actor = await world.actor(play, { provider, model });
    const talk = await actor.talk();
    await talk.ask("Remember the secret swordfish");
    const turns = await fill(actor, talk, padding, 2);
    expect(said(await talk.ask("recall"))).toEqual(["It is swordfish."]);
    expect(userTexts(lastOf(actor)).filter((text) => text.includes("swordfish"))).toEqual([
      expect.stringContaining("your own summary"),
    ]);

    for (const { body } of actor.requests()) expect(body.length / 4).toBeLessThan(inputWindow(model));
    checkPrefixes(actor.requests());

    const events = await talk.events();
    checkDense(events);
    const messages = events.filter(({ type }) => type === "message.completed");
    expect(messages).toHaveLength(turns + 2);
    expect(JSON.stringify(events)).not.toContain("gave the secret");
    const runs = events.filter(({ type }) => type === "run.completed");
    expect(runs).toHaveLength(turns + 2);
  });

  it("is compacted in the middle of a run as often as its scripts need it", async () => {
    const size = provider === "openai" ? 2_000 : 30_000;
    const actor = await world.actor(
      (call) => {
        if (isQuestion(call) || call.lastUserText.startsWith("recall")) return play(call);
        // Long enough after the last compaction for more than one checkpoint.
        const ended = questions(actor).length > 2 && call.turns.length >= 12;
        return ended ? { text: "Finished." } : { scripts: [`return "x".repeat(${size})`] };
      },
      { provider, model },
    );
    const talk = await actor.talk();
    const run = await talk.ask("Work, with the secret plaice");
    expect([run.status, ...said(run)]).toEqual(["completed", "Finished."]);
    expect(questions(actor)).toHaveLength(3);
    checkPrefixes(actor.requests());
    expect(said(await talk.ask("recall"))).toEqual(["It is plaice."]);
    checkPrefixes(actor.requests().slice(-2));
    for (const call of actor.asked.slice(-2)) expect(call.turns.filter(isSummary)).toHaveLength(1);
  });

  it("has the middle of an input left out that no window could take", async () => {
    const actor = await world.actor(play, { provider, model });
    const talk = await actor.talk();
    const size = provider === "openai" ? 50_000 : 900_000;
    const text = `note ${"a".repeat(size)} the end`;
    const input = await talk.send(text);
    expect((await talk.ended(input)).status).toBe("completed");
    expect(actor.asked).toHaveLength(1);
    expect(userTexts(lastOf(actor))).toEqual([
      expect.stringMatching(/^note a+\n\[\d+ characters are left out here: .*\]\na+ the end$/),
    ]);
    expect((await talk.input(input.id)).content).toEqual([{ type: "text", text }]);
    await talk.ask("note");
    checkPrefixes(actor.requests());
  });
});

describe.each(providers)("a conversation that %s refuses as too long", (provider) => {
  it("is compacted and asked again", async () => {
    const actor = await world.actor(
      (call) =>
        isQuestion(call) || call.turns.length < 6 || call.turns.some(isSummary)
          ? play(call)
          : tooLong[provider],
      { provider },
    );
    const talk = await actor.talk();
    await talk.ask("Remember the secret salmon");
    await talk.ask(`note 1 ${small.openai.padding}`);
    await talk.ask(`note 2 ${small.openai.padding}`);
    const run = await talk.ask("recall");
    expect([run.status, ...said(run)]).toEqual(["completed", "It is salmon."]);
    expect(questions(actor)).toHaveLength(1);
    await world.down("stop");
    await world.up();
    expect(said(await talk.ask("recall again"))).toEqual(["It is salmon."]);
    checkPrefixes(actor.requests().slice(-2));
    checkDense(await talk.events());
  });

  it("fails its run once when no compaction helps, and says what to do", async () => {
    const actor = await world.actor(
      (call) => (call.turns.length > 1 && !isQuestion(call) ? tooLong[provider] : play(call)),
      { provider },
    );
    const talk = await actor.talk();
    await talk.ask("Hello");
    const run = await talk.ask(`Again ${"and ".repeat(500)}`);
    expect(run).toMatchObject({
      status: "failed",
      error: { code: "model_error", message: expect.stringMatching(/does not fit .* Send less at once/) },
      messages: [],
    });
    expect(actor.asked.length).toBeLessThanOrEqual(8);
    expect(await talk.eventsOf("run.failed")).toHaveLength(1);
  });

  it("fails its run at once when there is nothing to take away", async () => {
    const actor = await world.actor(() => tooLong[provider], { provider });
    const talk = await actor.talk();
    expect(await talk.ask("Hi")).toMatchObject({ status: "failed", error: { code: "model_error" } });
    expect(actor.asked).toHaveLength(1);
  });
});

describe.each(providers)("the request to %s for a summary", (provider) => {
  it("takes half of it when the provider refuses the whole as too long", async () => {
    const { model, padding } = small[provider];
    const actor = await world.actor(
      (call) => (isQuestion(call) && questions(actor).length === 1 ? tooLong[provider] : play(call)),
      { provider, model },
    );
    const talk = await actor.talk();
    await talk.ask("Remember the secret perch");
    const runId = await untilQuestion(actor, talk, padding);
    expect((await talk.ended(runId)).status).toBe("completed");
    const [whole, half] = questions(actor);
    expect(half?.turns.length).toBeGreaterThan(1);
    expect(half?.turns.length).toBeLessThan(whole?.turns.length ?? 0);
    expect(said(await talk.ask("recall"))).toEqual(["It is perch."]);
    expect(lastOf(actor).turns.filter(isSummary)).toHaveLength(1);
    expect((await talk.events()).filter(({ type }) => type === "run.failed")).toEqual([]);
  });
});

describe("the request for a summary", () => {
  it("is retried after a passing failure, and an answer without text is one", async () => {
    const { model, padding } = small.openai;
    const replies: Reply[] = [
      { httpError: { status: 529, type: "overloaded_error", message: "Busy." } },
      { scripts: ["return await tools.pay()"] },
    ];
    const actor = await world.actor(
      (call) => (isQuestion(call) ? (replies.shift() ?? play(call)) : play(call)),
      { model, tools: ["pay"] },
    );
    const talk = await actor.talk();
    await talk.ask("Remember the secret trout");
    const runId = await untilQuestion(actor, talk, padding);
    expect((await talk.ended(runId)).status).toBe("completed");
    expect(said(await talk.ask("recall"))).toEqual(["It is trout."]);
    expect(questions(actor)).toHaveLength(3);
    expect(await talk.eventsOf("tool.requested")).toEqual([]);
  });
});
