import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { env } from "../../contract/env.ts";
import { commonPrefix } from "../../local/model/record.ts";
import type { Reply } from "../../local/model/reply.ts";
import {
  endOf,
  isQuestion,
  isSummary,
  lastOf,
  play,
  questions,
  small,
  untilQuestion,
  userTexts,
} from "./compacting.ts";
import { loadFunction } from "./functions.ts";
import { stateMachineArn } from "./history.ts";
import { eventually, said, type Talk } from "./talk.ts";
import { providers, startWorld, type World } from "./world.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld({ kept: true });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await world.close();
});

/** Ends the run that a kill interrupted, and lets the session go on. */
async function giveUp(talk: Talk): Promise<void> {
  const { active_run_id: runId } = await talk.until(({ status }) => status === "paused");
  await world.api().send("POST", `/sessions/${talk.id}/stop`, { run_id: runId });
  await talk.until(({ active_run_id: id }) => id === null);
  expect((await world.api().send("POST", `/sessions/${talk.id}/resume`)).status).toBe(200);
}

describe.each(providers)("a conversation of %s that is full", (provider) => {
  const { model, padding } = small[provider];

  it("is compacted once when the stack is killed before that is saved", async () => {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const actor = await world.actor((call) => (isQuestion(call) && !resumed ? promise : play(call)), {
      provider,
      model,
    });
    let resumed = false;
    const talk = await actor.talk();
    await talk.ask("Remember the secret halibut");
    await untilQuestion(actor, talk, padding);
    await world.down("kill");
    resolve({ text: "Nobody hears this." });
    resumed = true;
    await world.up();
    await giveUp(talk);
    const run = await talk.ask("recall");
    expect([run.status, ...said(run)]).toEqual(["completed", "It is halibut."]);
    expect(questions(actor)).toHaveLength(2);
    expect(JSON.stringify(actor.asked)).not.toContain("Nobody hears this");
    expect(lastOf(actor).turns.filter(isSummary)).toHaveLength(1);
  });

  it("is not compacted again when the stack is killed after that was saved", async () => {
    let hang = true;
    const actor = await world.actor(
      (call) => (hang && call.turns.some(isSummary) ? { hang: true } : play(call)),
      { provider, model },
    );
    const talk = await actor.talk();
    await talk.ask("Remember the secret mackerel");
    await untilQuestion(actor, talk, padding);
    await eventually(
      () => lastOf(actor).turns.some(isSummary) === true,
      (hangs) => hangs,
    );
    await world.down("kill");
    hang = false;
    await world.up();
    await giveUp(talk);
    expect(said(await talk.ask("recall"))).toEqual(["It is mackerel."]);
    expect(questions(actor)).toHaveLength(1);
    const [hung, later] = actor.requests().slice(-2);
    if (hung === undefined || later === undefined) throw new Error("there are two");
    expect(commonPrefix(hung.body, later.body)).toBeGreaterThanOrEqual(endOf(hung));
  });

  it("is stopped while the summary is written, and compacted afterwards", async () => {
    let hang = true;
    const actor = await world.actor((call) => (hang && isQuestion(call) ? { hang: true } : play(call)), {
      provider,
      model,
    });
    const talk = await actor.talk();
    await talk.ask("Remember the secret turbot");
    const runId = await untilQuestion(actor, talk, padding);
    const stopped = await world.api().send("POST", `/sessions/${talk.id}/stop`, { run_id: runId });
    expect(stopped.status).toBe(202);
    expect((await talk.ended(runId)).status).toBe("stopped");
    await expect(actor.requests().at(-1)?.over).resolves.toBe("closed");
    hang = false;
    await world.api().send("POST", `/sessions/${talk.id}/resume`);
    expect(said(await talk.ask("recall"))).toEqual(["It is turbot."]);
    expect(questions(actor)).toHaveLength(2);
    expect(lastOf(actor).turns.filter(isSummary)).toHaveLength(1);
  });

  it("is compacted once by two executions that do it at the same time", async () => {
    const bothAsked = Promise.withResolvers<void>();
    const firstSaved = Promise.withResolvers<void>();
    const secondOver = Promise.withResolvers<void>();
    let answers = 0;
    const actor = await world.actor(
      async (call) => {
        if (isQuestion(call)) {
          const nth = questions(actor).length;
          if (nth === 2) bothAsked.resolve();
          await (nth === 1 ? bothAsked : firstSaved).promise;
          return { text: `Summary ${nth}: the secret pike.` };
        }
        if (call.turns.some(isSummary)) {
          answers += 1;
          firstSaved.resolve();
          if (answers > 1) secondOver.resolve();
          await secondOver.promise;
        }
        return play(call);
      },
      { provider, model },
    );
    const talk = await actor.talk();
    await talk.ask("Remember the secret pike");
    const runId = await untilQuestion(actor, talk, padding);
    vi.stubEnv("OPENAI_BASE_URL", world.model().openaiBaseUrl);
    vi.stubEnv("ANTHROPIC_BASE_URL", world.model().anthropicBaseUrl);
    vi.stubEnv(env.keyFile, join(world.data ?? "", "secrets.key"));
    const advance = await loadFunction(world.laptop(), "advance");
    await advance({ sessionId: talk.id, runId, leg: 1, cycle: 0, stateMachineArn });
    secondOver.resolve();
    expect((await talk.ended(runId)).status).toBe("completed");
    expect(answers).toBe(1);
    const [summary, ...kept] = userTexts(lastOf(actor));
    expect(summary).toContain("Summary 1");
    expect(kept.at(-1)).toMatch(/^note/);
    expect(questions(actor)).toHaveLength(2);
  });
});
