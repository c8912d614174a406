import { afterAll, beforeAll, expect, it } from "vitest";
import { codeOf } from "../support/api.ts";
import { stored } from "../support/storage.ts";
import { eventually } from "./talk.ts";
import { type Actor, startWorld, type World } from "./world.ts";

const SESSIONS = 6;

let world: World;
let actor: Actor;

beforeAll(async () => {
  world = await startWorld({ kept: true });
  actor = await world.actor(() => ({ text: "a".repeat(9_000) }));
});
afterAll(() => world.close());

it.each([10, 40])(
  "a deletion that a kill cuts off has happened or has not, and is finished after the restart (after %i ms)",
  async (afterMs) => {
    const talks = await Promise.all(Array.from({ length: SESSIONS }, () => actor.talk()));
    for (const talk of talks) await talk.ask("Hello");
    const deleting = Promise.allSettled(
      talks.map(async ({ id }) => (await world.api().send("DELETE", `/sessions/${id}`)).status),
    );
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    await world.down("kill");
    const answers = await deleting;
    await world.up();
    for (const [index, { id }] of talks.entries()) {
      const answer = answers[index];
      const found = await world.api().send("GET", `/sessions/${id}`);
      if (answer?.status === "fulfilled") expect([answer.value, found.status]).toEqual([204, 404]);
      if (found.status === 200) {
        expect((await world.api().events(id)).at(-1)?.type).toBe("session.updated");
        expect((await world.api().send("DELETE", `/sessions/${id}`)).status).toBe(204);
      } else expect(codeOf(found)).toBe("not_found");
      const left = await eventually(
        () => stored(world.laptop(), id),
        (keys) => keys.length === 1,
      );
      expect(left).toEqual([`SES#${id} DELETED`]);
    }
  },
);
