import assert from "node:assert/strict";
import { fold } from "../../core/session/evolve.ts";
import type { Client } from "./client.ts";
import { storeOf } from "./store.ts";

/** What holds in the table itself: the head is the fold of the log. Gives the number of the model's answers. */
export async function checkTable(client: Client): Promise<number> {
  const store = storeOf(client.laptop());
  const id = client.sessionId();
  const [head, log] = await Promise.all([store.load(id), store.log(id, { sequence: 0, version: 0 }, 1_000)]);
  const events = log.items.flatMap((commit) => commit.events);
  assert.deepEqual(fold(events), head?.state, "the head is not the log's fold");
  return events.filter(({ type }) => type === "engine.answered").length;
}
