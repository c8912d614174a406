import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Reply } from "../../local/model/reply.ts";
import {
  checkPrefixes,
  isQuestion,
  isSummary,
  lastOf,
  play,
  questions,
  small,
  untilQuestion,
  userTexts,
} from "./compacting.ts";
import { checkDense, only, said, type Talk } from "./talk.ts";
import { type Actor, providers, startWorld, type World } from "./world.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

type Held = {
  readonly actor: Actor;
  readonly talk: Talk;
  readonly runId: string;
  /** Lets the model write the summary. */
  readonly release: () => void;
};

/** A talk whose run waits for the summary. */
async function heldQuestion(provider: (typeof providers)[number], secret: string): Promise<Held> {
  const { model, padding } = small[provider];
  const held = Promise.withResolvers<void>();
  const reply = async (call: Actor["asked"][number]): Promise<Reply> => {
    if (isQuestion(call)) await held.promise;
    return play(call);
  };
  const actor = await world.actor(reply, { provider, model });
  const talk = await actor.talk();
  await talk.ask(`Remember the secret ${secret}`);
  const runId = await untilQuestion(actor, talk, padding);
  return { actor, talk, runId, release: held.resolve };
}

describe.each(providers)("while %s writes a summary", (provider) => {
  it("a pause waits for it, nothing more is asked, and the resumed run begins with it", async () => {
    const { actor, talk, runId, release } = await heldQuestion(provider, "bream");
    const path = `/sessions/${talk.id}`;
    expect((await world.api().send("POST", `${path}/pause`)).status).toBe(202);
    expect((await talk.session()).status).toBe("pausing");
    const asked = actor.asked.length;
    release();
    await talk.until(({ status }) => status === "paused");
    expect(actor.asked).toHaveLength(asked);
    expect((await world.api().send("POST", `${path}/resume`)).status).toBe(200);
    expect((await talk.ended(runId)).status).toBe("completed");
    expect(questions(actor)).toHaveLength(1);
    expect(lastOf(actor).turns.filter(isSummary)).toHaveLength(1);
    expect(said(await talk.ask("recall"))).toEqual(["It is bream."]);
    checkPrefixes(actor.requests());
    checkDense(await talk.events());
  });

  it("steering is accepted, and applied after what was kept, in the same request", async () => {
    const { actor, talk, runId, release } = await heldQuestion(provider, "tench");
    const steered = await talk.send("recall", { mode: "steer" });
    expect(steered.run_id).toBe(runId);
    release();
    const run = await talk.ended(runId);
    expect(said(run)).toEqual(["It is tench."]);
    expect(run.applied_input_ids).toEqual([run.initial_input_id, steered.id]);
    const texts = userTexts(lastOf(actor));
    expect(texts[0]).toContain("your own summary");
    expect(texts.at(-2)).toMatch(/^note/);
    expect(texts.at(-1)).toBe("recall");
    expect(questions(actor)).toHaveLength(1);
  });

  it("clients see neither a preview nor a message of it", async () => {
    const { actor, talk, runId, release } = await heldQuestion(provider, "roach");
    release();
    await talk.ended(runId);
    const ended = (await talk.eventsOf("message.completed")).filter(({ data }) => data.run_id === runId);
    expect(only(ended).data.message.content).toEqual([{ type: "text", text: "Heard." }]);
    expect(questions(actor)).toHaveLength(1);
  });
});
