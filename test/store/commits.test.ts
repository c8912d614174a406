import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { describe, expect, test } from "vitest";
import { documentClient } from "../../adapters/aws/clients.ts";
import { systemClock } from "../../adapters/system/clock.ts";
import { VersionConflict } from "../../core/ports/store.ts";
import { sendInput } from "../../core/session/decide/inputs.ts";
import type { Decision } from "../../core/session/decision.ts";
import { handle } from "../../core/session/handle.ts";
import type { SessionState } from "../../core/session/state.ts";
import { answer, apply, inline, ok, request, steer, submit, userText } from "../support/commands.ts";
import { moment } from "../support/specification.ts";
import { itemsOf, open, startStores } from "./harness.ts";
import { proceed } from "./proceed.ts";

const stores = await startStores();
const { store } = stores;

function input(state: SessionState): Decision {
  const decision = sendInput(
    state,
    { mode: "queue", effort: "off", content: userText("one more") },
    moment(9),
  );
  if (!decision.accepted) throw new Error(decision.code);
  return decision;
}

describe("a commit on a version that has passed", () => {
  test("is a version conflict and writes nothing", async () => {
    const { id, decision } = await open(stores, { input: "queue" });
    await store.commit(1, input(decision.state), []);
    const before = await itemsOf(stores, id);
    const late = store.commit(1, input(decision.state), []);
    await expect(late).rejects.toThrow(VersionConflict);
    expect(await itemsOf(stores, id)).toEqual(before);
  });

  test("is one also for a version that has not come yet", async () => {
    const { decision } = await open(stores, { input: "queue" });
    await expect(store.commit(2, input(decision.state), [])).rejects.toThrow(VersionConflict);
  });

  test("is one for a session that is created twice", async () => {
    const { decision } = await open(stores);
    const config = await store.config(decision.state.id);
    if (config === null) throw new Error("it has a configuration");
    await expect(store.create(config, decision, [])).rejects.toThrow(VersionConflict);
  });
});

test("a commit that changes a record which is not there fails by its own name and writes nothing", async () => {
  const { id, decision } = await open(stores, { input: "queue" });
  const before = await itemsOf(stores, id);
  const changes = [{ kind: "call", id: `call_${id.slice(4)}0000000099`, patch: { receipt: true } }] as const;
  const broken = store.commit(1, { ...input(decision.state), changes }, []);
  await expect(broken).rejects.toThrow(TransactionCanceledException);
  expect(await itemsOf(stores, id)).toEqual(before);
});

describe("a transaction conflict", () => {
  test("leads to another round of decide and commit", async () => {
    const { id } = await open(stores, { input: "queue" });
    const client = documentClient();
    const conflicts = conflictOnce(client);
    let decided = 0;
    const handled = await handle({ store: stores.storeOn(client), clock: systemClock }, id, ({ state }) => {
      decided += 1;
      return input(state);
    });
    expect({ outcome: handled.outcome, decided, conflicts: conflicts() }).toEqual({
      outcome: "committed",
      decided: 2,
      conflicts: 1,
    });
    expect(await store.load(id)).toMatchObject({ version: 2, state: { queue: [{ mode: "queue" }] } });
    client.destroy();
  });

  test("is a version conflict, whichever item it was on", async () => {
    const { decision } = await open(stores, { input: "queue" });
    const client = documentClient();
    conflictOnce(client);
    await expect(stores.storeOn(client).commit(1, input(decision.state), [])).rejects.toThrow(
      VersionConflict,
    );
    client.destroy();
  });
});

test("what a commit leaves in the head and the log is free of content", async () => {
  const secret = "a secret of the user";
  const { id } = await open(stores, { input: "queue", content: userText(secret) });
  await proceed(
    store,
    id,
    apply(),
    steer(),
    answer(1, { content: userText(secret) }),
    request(2),
    submit(ok(0, { said: secret })),
  );
  const items = await itemsOf(stores, id);
  const holding = items
    .filter((item) => JSON.stringify(item).includes(secret))
    .map((item) => String(item["sk"]));
  expect(holding.map((sk) => sk.split("#")[0]).sort()).toEqual(["CALL", "INPUT", "MESSAGE"]);
  expect(items.map((item) => String(item["sk"]).split("#")[0])).toContain("HEAD");
});

test("what the model and its scripts said is in the log only where it is needed to go on", async () => {
  const { id } = await open(stores, { input: "queue" });
  await proceed(store, id, apply(), answer(1, { answer: inline({ native: ["thought"], scripts: [] }) }));
  const head = (await itemsOf(stores, id)).find((item) => item["sk"] === "HEAD");
  expect(JSON.stringify(head)).not.toContain("thought");
});

/** Makes the client's next transaction fail as two that touch one item at once do; tells how often that was. */
function conflictOnce(client: DynamoDBDocumentClient): () => number {
  let injected = 0;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (context["commandName"] !== "TransactWriteItemsCommand" || injected > 0) return next(args);
      injected += 1;
      throw new TransactionCanceledException({
        $metadata: {},
        message: "Transaction cancelled",
        CancellationReasons: [{ Code: "None" }, { Code: "None" }, { Code: "TransactionConflict" }],
      });
    },
    { step: "initialize" },
  );
  return () => injected;
}
