import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "../../contract/canonical.ts";
import type { Json } from "../../contract/json.ts";
import type { CallRecord } from "../../core/session/records.ts";
import { answer, apply, callId, inline, ok, request, submit } from "../support/commands.ts";
import { open, startStores } from "./harness.ts";
import { pastIn, proceed } from "./proceed.ts";

const stores = await startStores();
const { store, blobs } = stores;

/** Sends the value as a call's result and reads the call back. */
async function throughACall(value: Json): Promise<CallRecord> {
  const { id } = await open(stores, { input: "queue" });
  const past = await proceed(store, id, apply(), answer(1), request(), submit(ok(0, value)));
  return settledCall(id, callId(past, 0));
}

async function settledCall(sessionId: string, call: string): Promise<CallRecord> {
  const record = (await store.calls(sessionId, [call])).get(call);
  if (record === undefined) throw new Error("the call has a record");
  return record;
}

const nested = (levels: number, wrap: (inner: Json) => Json): Json => {
  let value: Json = "the middle";
  for (let level = 0; level < levels; level += 1) value = wrap(value);
  return value;
};

const values: readonly (readonly [string, Json])[] = [
  ["lists nested 150 deep", nested(150, (inner) => [inner])],
  ["objects nested 150 deep", nested(150, (inner) => ({ a: inner }))],
  ["lists nested as deep as an item takes", nested(4_000, (inner) => [inner])],
  ["an empty key", { "": { "": "" } }],
  [
    "keys that mean something elsewhere",
    { $ref: 1, S: { N: "1" }, __proto__x: 1, constructor: 2, toString: null },
  ],
  ["a key that is __proto__", JSON.parse('{"__proto__":{"a":1}}') as Json],
  ["lone surrogates", { "\ud800": "\udc00 and \ud83d", pair: "😀" }],
  ["controls and line ends", "\u0000\u0001\u001f\u2028\u2029\r\n\t\u007f\ufeff"],
  ["numbers at the edges", [0, 1e21, 1e-7, 1.7976931348623157e308, 5e-324, 9007199254740992, 0.1 + 0.2, -1]],
  ["nothing", null],
  ["empty containers", [{}, [], "", false]],
  ["what looks like a reference", { blob: "sessions/x", bytes: 5 }],
];

describe("a value of a record comes back as it was", () => {
  test.each(values)("with %s", async (_, value) => {
    const record = await throughACall(value);
    expect(JSON.stringify(record.result)).toBe(JSON.stringify({ inline: value }));
  });

  test.each(values)("from S3 too, with %s", async (_, value) => {
    const { payload, upload } = blobs.stow("ses_values", value, 0);
    if (upload === null) throw new Error("nothing is small enough");
    await blobs.put(upload);
    expect(canonicalJson(await blobs.fetch(payload))).toBe(canonicalJson(value));
  });

  test("whatever it is", async () => {
    const { id } = await open(stores, { input: "queue" });
    await proceed(store, id, apply(), answer(1));
    let sent = 0;
    const any = fc.jsonValue({ maxDepth: 6, stringUnit: "binary" });
    await fc.assert(
      fc.asyncProperty(any, async (made) => {
        // The engine of JSON has one zero.
        const value = JSON.parse(JSON.stringify(made)) as Json;
        const past = await proceed(store, id, request(), submit(ok(sent, value)));
        const record = await settledCall(id, callId(past, sent));
        expect(JSON.stringify(record.result)).toBe(JSON.stringify({ inline: value }));
        sent += 1;
      }),
      { numRuns: 20, interruptAfterTimeLimit: 8_000 },
    );
  });
});

test("names and texts of any script come back in the log's own fields", async () => {
  const { id } = await open(stores, { input: "queue" });
  const native = inline({ "": "語😀\ud800", deep: nested(150, (inner) => [inner]) });
  await proceed(store, id, apply(), answer(1, { answer: native }));
  const { events } = await pastIn(store, id);
  expect(events.find((event) => event.type === "engine.answered")).toMatchObject({ answer: native });
});
