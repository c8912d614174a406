import { describe, expect, test } from "vitest";
import { createReceipts } from "../../adapters/aws/receipts.ts";
import { type NewReceipt, ReceiptConflict, type ReceiptPlace } from "../../core/ports/receipts.ts";
import { VersionConflict } from "../../core/ports/store.ts";
import { sendInput } from "../../core/session/decide/inputs.ts";
import type { SessionState } from "../../core/session/state.ts";
import { inline, userText } from "../support/commands.ts";
import { moment } from "../support/specification.ts";
import { itemsOf, open, startStores } from "./harness.ts";

const stores = await startStores();
const receipts = createReceipts({ client: stores.client, name: stores.table });

let places = 0;
const place = (sessionId: string | null = null): ReceiptPlace => ({
  sessionId,
  id: receipts.hash(String(++places)),
});

const receipt = (at: ReceiptPlace, rest: Partial<NewReceipt> = {}): NewReceipt => ({
  place: at,
  request: "a hash",
  status: 201,
  answer: inline("{}"),
  upload: null,
  at: 1_000,
  expiresAt: 1_100,
  ...rest,
});

let keys = 0;
const putKey = (kept: NewReceipt) => {
  const key = {
    id: `mkey_${++keys}`,
    name: "a key",
    provider: "openai" as const,
    prefix: "sk-a",
    suffix: "wxyz",
    sealed: "sealed",
    createdAt: moment(0),
  };
  return stores.catalog.putModelKey("prj_receipts", key, kept);
};

function input(state: SessionState) {
  const decision = sendInput(state, { mode: "queue", effort: "off", content: userText("more") }, moment(9));
  if (!decision.accepted) throw new Error(decision.code);
  return decision;
}

describe("a receipt", () => {
  test("is found until it expires, whether or not the table has removed it", async () => {
    const at = place();
    await putKey(receipt(at));
    const told = { request: "a hash", status: 201, answer: inline("{}") };
    expect(await receipts.read(at, 1_000)).toEqual(told);
    expect(await receipts.read(at, 1_099)).toEqual(told);
    expect(await receipts.read(at, 1_100)).toBeNull();
    expect(await receipts.read(place(), 1_000)).toBeNull();
  });

  test("keeps its place until it expires, and gives it up then", async () => {
    const at = place();
    await putKey(receipt(at));
    await expect(putKey(receipt(at, { at: 1_099, expiresAt: 1_199 }))).rejects.toThrow(ReceiptConflict);
    await putKey(receipt(at, { at: 1_100, expiresAt: 1_200, request: "another" }));
    expect(await receipts.read(at, 1_150)).toMatchObject({ request: "another" });
  });

  test("that comes second leaves nothing of what it came with", async () => {
    const at = place();
    await putKey(receipt(at));
    const before = await stores.catalog.listModelKeys("prj_receipts", null, 100);
    await expect(putKey(receipt(at))).rejects.toThrow(ReceiptConflict);
    expect(await stores.catalog.listModelKeys("prj_receipts", null, 100)).toEqual(before);
  });

  test("that comes second is told apart from a version that has passed", async () => {
    const { id, decision } = await open(stores, { input: "queue" });
    const at = place(id);
    await stores.store.commit(1, input(decision.state), [], receipt(at));
    const before = await itemsOf(stores, id);
    const late = (kept: NewReceipt) => stores.store.commit(1, input(decision.state), [], kept);
    await expect(late(receipt(at))).rejects.toThrow(ReceiptConflict);
    await expect(late(receipt(place(id)))).rejects.toThrow(VersionConflict);
    expect(await itemsOf(stores, id)).toEqual(before);
  });

  test("lies with its session, and says when the table may remove it", async () => {
    const { id, decision } = await open(stores, { input: "queue" });
    const at = place(id);
    await stores.store.commit(1, input(decision.state), [], receipt(at));
    const kept = (await itemsOf(stores, id)).filter(({ sk }) => sk === `RECEIPT#${at.id}`);
    expect(kept).toMatchObject([{ ttl: 1_100 }]);
  });
});
