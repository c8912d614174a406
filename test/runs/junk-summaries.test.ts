import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Reply } from "../../local/model/reply.ts";
import {
  isQuestion,
  isSummary,
  lastOf,
  play,
  questions,
  small,
  untilQuestion,
  userTexts,
} from "./compacting.ts";
import { goesOn, said } from "./talk.ts";
import { providers, startWorld, type World } from "./world.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

/** Answers to the question for a summary that are none. */
const junk: [string, Reply][] = [
  ["a call, announced", { text: "Let me look that up first.", scripts: ["return 1"] }],
  ["half a sentence, cut", { text: "The user gave the", stop: "length" }],
  ["thinking alone, cut", { reasoning: "Hm.", stop: "length" }],
  ["white space", { text: " \n " }],
];

describe.concurrent.each(providers)("an answer of %s that is no summary", (provider) => {
  const { model, padding } = small[provider];

  it.for(junk)("is not taken for one, and the next request is another: %s", async ([, reply]) => {
    const actor = await world.actor(
      (call) => (isQuestion(call) && questions(actor).length === 1 ? reply : play(call)),
      { provider, model },
    );
    const talk = await actor.talk();
    await talk.ask("Remember the secret roach");
    const runId = await untilQuestion(actor, talk, padding);
    expect((await talk.ended(runId)).status).toBe("completed");
    expect(said(await talk.ask("recall"))).toEqual(["It is roach."]);
    const [whole, simpler, ...more] = questions(actor);
    expect(more).toEqual([]);
    expect(whole?.turns.length).toBeGreaterThan(3);
    // One text tells of the whole old part, and the question follows.
    expect(simpler?.turns.map(({ type }) => type)).toEqual(["user", "user"]);
    expect(lastOf(actor).turns.filter(isSummary)).toHaveLength(1);
    // The request that led to no summary and the one that did are the run's as well.
    const used = (await talk.usage()).find(({ run_id }) => run_id === runId);
    const perRequest = actor.requests().map(({ body }) => Math.ceil(body.length / 4));
    const own = perRequest.slice(actor.asked.findIndex(isQuestion)).slice(0, 3);
    expect(used?.input_tokens).toBe(own.reduce((sum, tokens) => sum + tokens, 0));
    await goesOn(talk);
  });
});

describe.concurrent.each(providers)("a summary that %s never writes", (provider) => {
  it("fails the run after three different requests; the next run has the whole history", async () => {
    const { model, padding } = small[provider];
    let refuses = true;
    const actor = await world.actor(
      (call) => (isQuestion(call) && refuses ? { text: "Let me see.", scripts: ["return 1"] } : play(call)),
      { provider, model },
    );
    const talk = await actor.talk();
    await talk.ask("Remember the secret bream");
    const runId = await untilQuestion(actor, talk, padding);
    expect(await talk.ended(runId)).toMatchObject({
      status: "failed",
      error: { code: "model_error", message: expect.stringContaining("no summary") },
    });
    const bodies = actor.requests().filter(({ body }) => body.includes("will be taken away"));
    expect(new Set(bodies.map(({ body }) => body.toString("utf8"))).size).toBe(3);
    expect(bodies.every(({ attempt }) => attempt === 1)).toBe(true);
    refuses = false;
    await goesOn(talk);
    const retold = questions(actor).at(-1);
    if (retold === undefined) throw new Error("there was a question");
    expect(userTexts(retold).join()).toContain("bream");
    expect(said(await talk.ask("recall"))).toEqual(["It is bream."]);
  });
});
