/**
 * Clients chosen at random, several at the same moment, against the stack and against a model of the rules that
 * knows nothing of it. Whatever the stack answers and shows, some order of the requests has to explain it.
 */
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { observe, type View, viewOf } from "./observe.ts";
import { type Moment, moments, perform, resolve } from "./requests.ts";
import { nothing, type State } from "./rules.ts";
import { explain, type History } from "./search.ts";
import { world as startWorld } from "./world.ts";

/** Talks that are tried; `STEPYARD_TALKS` tries more, `STEPYARD_SEED` others. */
const talks = Number(process.env["STEPYARD_TALKS"] ?? 30);
const seed = Number(process.env["STEPYARD_SEED"] ?? 20_261_201);
const REST_MS = 10_000;

let world: Awaited<ReturnType<typeof startWorld>>;
beforeAll(async () => {
  world = await startWorld();
}, 60_000);
afterAll(() => world?.close());

/** The states at rest that look like the session, once it looks like one of them. */
async function settle(sessionId: string, possible: readonly State[], story: () => string) {
  const deadline = Date.now() + REST_MS;
  for (;;) {
    const seen = await observe(world.api, sessionId);
    const fitting = possible.filter((state) => isDeepStrictEqual(viewOf(state), seen.view));
    if (fitting.length > 0) return { seen, fitting };
    if (Date.now() > deadline) throw new Error(unexplained(story(), seen.view, possible));
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

const unexplained = (story: string, seen: View, possible: readonly State[]): string =>
  [
    "The rules do not explain this session.",
    story,
    `It looks like ${JSON.stringify(seen, null, 1)}`,
    `and should like one of ${JSON.stringify(possible.slice(0, 3).map(viewOf), null, 1)}`,
  ].join("\n");

async function play(talk: readonly Moment[]): Promise<void> {
  const { id } = await world.api.createSession(world.agentId);
  const lines: string[] = [];
  const story = () => lines.join("\n");
  let { seen, fitting } = await settle(id, [nothing], story);
  for (const [at, moment] of talk.entries()) {
    const known = seen;
    const clients = moment.map((wishes, client) =>
      wishes.flatMap((wish, nth) => resolve(wish, known, `i${at}${client}${nth}`) ?? []),
    );
    const histories = await Promise.all(
      clients.map(async (requests, client): Promise<History> => {
        const history: { request: (typeof requests)[number]; answer: string }[] = [];
        for (const request of requests) {
          const answer = await perform(world.api, id, known, request);
          lines.push(`moment ${at}, client ${client}: ${JSON.stringify(request)} → ${answer}`);
          history.push({ request, answer });
        }
        return history;
      }),
    );
    const possible = explain(fitting, histories);
    if (possible.length === 0) throw new Error(`No order of the requests explains the answers.\n${story()}`);
    ({ seen, fitting } = await settle(id, possible, story));
  }
}

it("whatever clients ask at the same time, the rules explain what they get", async () => {
  await fc.assert(
    fc.asyncProperty(moments, (talk) => play(talk)),
    { numRuns: talks, seed, endOnFailure: false, interruptAfterTimeLimit: 240_000 },
  );
  expect(world.asked()).toBeGreaterThan(talks);
}, 300_000);
