import type { SFNClient } from "@aws-sdk/client-sfn";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Input } from "../../contract/schemas/inputs.ts";
import { executionNames, executionOf, historyOf, sfn } from "../runs/history.ts";
import { checkDense, exactly, only, output, said, type Talk } from "../runs/talk.ts";
import { type Actor, startWorld, type World } from "../runs/world.ts";

/** Every call is a wait: the state machine goes once round for each. */
const CALLS_PER_SCRIPT = 10;
const STAGE = 500;
const STAGES = 11;
const CALLS = STAGES * STAGE;
const MINUTES = 60_000;

const script = `let sum = 0; for (let n = 0; n < ${CALLS_PER_SCRIPT}; n++) sum += await tools.work({ n }); return sum`;

let world: World;
let client: SFNClient;
let actor: Actor;
let talk: Talk;
let input: Input;
const tookMs: number[] = [];

beforeAll(async () => {
  world = await startWorld();
  client = sfn(world.laptop());
  actor = await world.actor(
    (_, nth) => (nth * CALLS_PER_SCRIPT > CALLS ? { text: "That was all." } : { scripts: [script] }),
    { tools: ["work"] },
  );
  talk = await actor.talk();
  input = await talk.send("Work");
});
afterAll(async () => {
  client?.destroy();
  await world?.close();
});

describe(`a run of ${CALLS} function calls, one after the other`, () => {
  it.each(Array.from({ length: STAGES }, (_, at) => [at * STAGE + 1, (at + 1) * STAGE]))(
    "makes calls %i to %i",
    async () => {
      const began = performance.now();
      for (let n = 0; n < STAGE; n += 1) await talk.settle(only(await talk.calls(1)), output(1));
      tookMs.push(performance.now() - began);
    },
    5 * MINUTES,
  );

  it(
    "completes, with every call requested and settled once and the log whole",
    async () => {
      const run = await talk.ended(input);
      expect([run.status, ...said(run)]).toEqual(["completed", "That was all."]);
      const events = await talk.events();
      checkDense(events);
      const requested = events.flatMap((event) =>
        event.type === "tool.requested" ? event.data.call.id : [],
      );
      const completed = events.flatMap((event) =>
        event.type === "tool.completed" ? event.data.call.id : [],
      );
      expect(new Set(exactly(CALLS, requested)).size).toBe(CALLS);
      expect(completed).toEqual(requested);
      expect(actor.asked).toHaveLength(CALLS / CALLS_PER_SCRIPT + 1);
    },
    MINUTES,
  );

  it(
    "goes on in another execution before any has 25,000 events",
    async () => {
      const names = await executionNames(client);
      expect(names.length).toBeGreaterThanOrEqual(4);
      for (const name of names) {
        const history = await historyOf(client, executionOf(name));
        expect(history.length).toBeLessThan(25_000);
        expect(history.at(-1)?.type).toBe("ExecutionSucceeded");
      }
    },
    MINUTES,
  );

  it("takes about as long for a call at its end as at its beginning", () => {
    const [first = 0, last = 0] = [tookMs[1], tookMs.at(-1)];
    expect(last / first).toBeLessThan(2);
  });
});
