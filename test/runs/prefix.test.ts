import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Reply } from "../../local/model/reply.ts";
import { checkPrefixes, userTexts } from "./compacting.ts";
import { eventually, said, type Talk } from "./talk.ts";
import { type Actor, providers, startWorld, type World } from "./world.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld({ kept: true });
});
afterAll(() => world.close());

const ROUNDS = 6;
const EFFORTS = ["low", "high", "medium"] as const;
const padding = "lorem ipsum dolor — 語 ".repeat(90);

/** Lets the model answer when the test says so, where an input asks for that. */
function gate() {
  let open: () => void = () => undefined;
  const play = async (call: Actor["asked"][number]): Promise<Reply> => {
    if (call.lastScriptOutputs.length > 0) return { text: `It gave ${call.lastScriptOutputs.join(" and ")}` };
    if (call.lastUserText.startsWith("script")) {
      return {
        text: "Let me see.",
        reasoning: "Two of them.",
        scripts: ["return 1", "throw new Error('no')"],
      };
    }
    if (call.lastUserText.startsWith("wait")) await new Promise<void>((resolve) => (open = resolve));
    return { text: `Heard ${call.lastUserText.slice(0, 12)}`, reasoning: "Easy." };
  };
  return { play, open: () => open() };
}

/** A text, two scripts of which one fails, and two inputs that steer a run whose answer is under way. */
async function round(talk: Talk, actor: Actor, open: () => void, nth: number): Promise<void> {
  const reasoning_effort = EFFORTS[nth % EFFORTS.length];
  await talk.ask(`text ${nth} ${padding}`, { reasoning_effort });
  await talk.ask(`script ${nth}`, { reasoning_effort });
  const asked = actor.asked.length;
  const input = await talk.send(`wait ${nth}`, { reasoning_effort });
  await eventually(
    () => actor.asked.length,
    (count) => count === asked + 1,
  );
  await talk.send(`steer ${nth} a`, { mode: "steer" });
  await talk.send(`script of steering ${nth}`, { mode: "steer", reasoning_effort });
  open();
  const run = await talk.ended(input);
  expect(run.applied_input_ids).toHaveLength(3);
  expect(said(run)).toHaveLength(3);
}

describe.each(providers)("a conversation of %s with scripts, steering, efforts and a restart", (provider) => {
  it("only grows: every request begins with the bytes of the one before it", async () => {
    const { play, open } = gate();
    const actor = await world.actor(play, { provider });
    const talk = await actor.talk();
    for (let nth = 1; nth <= ROUNDS; nth += 1) {
      if (nth === ROUNDS / 2) {
        await world.down("stop");
        await world.up();
      }
      await round(talk, actor, open, nth);
    }
    expect(actor.asked).toHaveLength(ROUNDS * 6);
    checkPrefixes(actor.requests());
    const last = actor.asked.at(-1);
    expect(last && userTexts(last)[0]).toBe(`text 1 ${padding}`);
  });
});
