import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "../../contract/canonical.ts";
import type { Json } from "../../contract/json.ts";
import { submitResults } from "../../core/session/decide/calls.ts";
import { INLINE_BYTES } from "../../core/session/payload.ts";
import { answer, apply, callId, request } from "../support/commands.ts";
import { moment } from "../support/specification.ts";
import { itemsOf, newSessionId, open, startStores } from "./harness.ts";
import { pastIn, proceed, textOf } from "./proceed.ts";

const stores = await startStores();
const { blobs, store } = stores;
const KB = 1_024;

/** Accepts an input with the value as its content, and reads it back by the record. */
async function roundTrip(value: Json) {
  const sessionId = newSessionId();
  const { payload, upload } = blobs.stow(sessionId, value);
  const { id } = await open(stores, {
    input: "queue",
    content: payload,
    uploads: upload === null ? [] : [upload],
  });
  const [record] = (await store.listInputs(id, 0, 1)).items;
  if (record === undefined) throw new Error("the input has a record");
  return {
    payload: record.content,
    value: await blobs.fetch(record.content),
    items: await itemsOf(stores, id),
  };
}

describe("where a body goes", () => {
  test("at 8 KiB of canonical JSON it is in the item", async () => {
    const value = textOf(INLINE_BYTES);
    const read = await roundTrip(value);
    expect(read.payload).toEqual({ inline: value });
    expect(read.value).toBe(value);
  });

  test("a byte above that it is in S3, under the hash of its canonical JSON", async () => {
    const value = textOf(INLINE_BYTES + 1);
    const read = await roundTrip(value);
    const hash = createHash("sha256").update(canonicalJson(value)).digest("hex");
    expect(read.payload).toEqual({
      blob: expect.stringMatching(new RegExp(`^sessions/ses_\\d+/bodies/${hash}$`)),
      bytes: INLINE_BYTES + 1,
    });
    expect(read.value).toBe(value);
  });

  test("bytes count and not characters", async () => {
    const characters = INLINE_BYTES / 2;
    const read = await roundTrip("ü".repeat(characters));
    expect(read.payload).toHaveProperty("blob");
    expect((await roundTrip("u".repeat(characters))).payload).toHaveProperty("inline");
  });

  test("equal values share a reference, however their keys are ordered", () => {
    const long = "x".repeat(INLINE_BYTES);
    const one = blobs.stow("ses_1", { a: long, b: { c: 1, d: 2 } });
    const other = blobs.stow("ses_1", { b: { d: 2, c: 1 }, a: long });
    expect(one).toEqual(other);
    expect(blobs.stow("ses_2", { a: long, b: { c: 1, d: 2 } }).payload).not.toEqual(one.payload);
  });
});

describe("bodies around the 400 KB that an item may have", () => {
  test.each([399, 400, 401])("of %d KB read back whole, and no item nears the limit", async (kilobytes) => {
    for (const character of ["x", "ü", "語", "😀"]) {
      const value = textOf(kilobytes * KB, character);
      const read = await roundTrip(value);
      expect(read.payload).toHaveProperty("blob");
      expect(read.value === value, `${character} comes back`).toBe(true);
      const largest = Math.max(...read.items.map((item) => Buffer.byteLength(JSON.stringify(item))));
      expect(largest).toBeLessThan(16 * KB);
    }
  });

  test("of an object of many keys come back equal", async () => {
    const value = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, n) => [`key ${n}`, { n, text: "語".repeat(9) }]),
    );
    expect((await roundTrip(value)).value).toEqual(value);
  });
});

test("a large result of a call is one reference, and its retry is the same", async () => {
  const { id } = await open(stores, { input: "queue" });
  await proceed(store, id, apply(), answer(1), request());
  const past = await pastIn(store, id);
  const { payload, upload } = blobs.stow(id, { rows: textOf(401 * KB) });
  if (upload === null) throw new Error("it is too large for an item");
  const submit = (from: Awaited<ReturnType<typeof pastIn>>) =>
    submitResults(from.state, {
      runId: from.state.run?.id ?? "",
      results: [{ callId: callId(from, 0), outcome: { output: payload } }],
      records: from.records.call,
      at: moment(9),
    });
  const decision = submit(past);
  if (!decision.accepted) throw new Error(decision.code);
  await store.commit(past.version, decision, [upload]);
  const after = await pastIn(store, id);
  expect(after.records.call.get(callId(after, 0))).toMatchObject({ status: "completed", result: payload });
  expect(await blobs.fetch(payload)).toEqual({ rows: textOf(401 * KB) });
  expect(submit(after)).toMatchObject({ accepted: true, events: [], changes: [] });
});

test("a body that is written twice is one object", async () => {
  const { upload } = blobs.stow("ses_twice", textOf(9 * KB));
  if (upload === null) throw new Error("it is too large for an item");
  await blobs.put(upload);
  await blobs.put(upload);
  expect(await blobs.get(upload.key)).toBe(upload.body);
});

test("a body that is gone is an error and not nothing", async () => {
  const gone = blobs.fetch({ blob: "sessions/ses_gone/bodies/abc", bytes: 1 });
  await expect(gone).rejects.toMatchObject({ name: "NoSuchKey" });
});
