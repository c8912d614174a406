import { describe, expect, test } from "vitest";
import type { StoredModelKey } from "../../core/ports/catalog.ts";
import { inline } from "../support/commands.ts";
import { startStores } from "./harness.ts";
import { textOf } from "./proceed.ts";

const { catalog, blobs } = await startStores();
const PROJECT = "prj_catalog";
const at = "2026-01-01T00:00:00.000Z";
const version = (instructions: string) => ({ config: inline({ instructions }), upload: null, createdAt: at });

const modelKey = (id: string): StoredModelKey => ({
  id,
  name: `key ${id}`,
  provider: "openai",
  prefix: "sk-t",
  suffix: "cdef",
  sealed: "sealed",
  createdAt: at,
});

describe("agents", () => {
  test("are created with their first version, both or neither", async () => {
    const agent = await catalog.createAgent(PROJECT, { id: "agt_1", name: "one" }, version("first"));
    expect(agent).toEqual({ id: "agt_1", name: "one", latestVersion: 1, createdAt: at });
    expect(await catalog.agent(PROJECT, "agt_1")).toEqual(agent);
    expect(await catalog.version(PROJECT, "agt_1", 1)).toEqual({
      agentId: "agt_1",
      version: 1,
      config: inline({ instructions: "first" }),
      createdAt: at,
    });
    const again = catalog.createAgent(PROJECT, { id: "agt_1", name: "two" }, version("other"));
    await expect(again).rejects.toMatchObject({ name: "TransactionCanceledException" });
    expect((await catalog.version(PROJECT, "agt_1", 1))?.config).toEqual(inline({ instructions: "first" }));
  });

  test("ten callers at once get ten versions, one after the other", async () => {
    await catalog.createAgent(PROJECT, { id: "agt_busy", name: "busy" }, version("version 1"));
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        catalog.createVersion(PROJECT, "agt_busy", version(`caller ${n}`)),
      ),
    );
    expect(made.map((one) => one?.version ?? 0).sort((a, b) => a - b)).toEqual([
      2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    ]);
    for (const one of made) {
      expect(await catalog.version(PROJECT, "agt_busy", one?.version ?? 0)).toEqual(one);
    }
    expect((await catalog.agent(PROJECT, "agt_busy"))?.latestVersion).toBe(11);
    expect(await catalog.version(PROJECT, "agt_busy", 12)).toBeNull();
  });

  test("a configuration too large for an item lies in S3", async () => {
    const { payload, upload } = blobs.stow("ses_any", { instructions: textOf(401 * 1_024) });
    await catalog.createAgent(
      PROJECT,
      { id: "agt_large", name: "large" },
      { config: payload, upload, createdAt: at },
    );
    const stored = await catalog.version(PROJECT, "agt_large", 1);
    expect(stored?.config).toHaveProperty("blob");
    expect(await blobs.fetch(stored?.config ?? inline(null))).toEqual({ instructions: textOf(401 * 1_024) });
  });

  test("change their name and nothing else", async () => {
    await catalog.createAgent(PROJECT, { id: "agt_name", name: "old" }, version("first"));
    const renamed = await catalog.renameAgent(PROJECT, "agt_name", 'new "語" \ud83d\ude00');
    expect(renamed).toEqual({ id: "agt_name", name: 'new "語" 😀', latestVersion: 1, createdAt: at });
    expect(await catalog.renameAgent(PROJECT, "agt_none", "x")).toBeNull();
    expect(await catalog.agent(PROJECT, "agt_none")).toBeNull();
  });

  test("that are deleted are gone with their versions, and take no new one", async () => {
    await catalog.createAgent(PROJECT, { id: "agt_gone", name: "gone" }, version("first"));
    expect(await catalog.deleteAgent(PROJECT, "agt_gone")).toBe(true);
    expect(await catalog.deleteAgent(PROJECT, "agt_gone")).toBe(false);
    expect(await catalog.agent(PROJECT, "agt_gone")).toBeNull();
    expect(await catalog.version(PROJECT, "agt_gone", 1)).toBeNull();
    expect(await catalog.createVersion(PROJECT, "agt_gone", version("late"))).toBeNull();
    expect(await catalog.renameAgent(PROJECT, "agt_gone", "x")).toBeNull();
  });

  test("are listed newest first, and go on behind one that was deleted", async () => {
    for (const id of ["agt_a", "agt_b", "agt_c", "agt_d"]) {
      await catalog.createAgent("prj_list", { id, name: id }, version("first"));
      await catalog.createVersion("prj_list", id, version("second"));
    }
    const first = await catalog.listAgents("prj_list", null, 2);
    expect(first).toMatchObject({ more: true, items: [{ id: "agt_d", latestVersion: 2 }, { id: "agt_c" }] });
    await catalog.deleteAgent("prj_list", "agt_c");
    const second = await catalog.listAgents("prj_list", "agt_c", 2);
    expect(second).toMatchObject({ more: false, items: [{ id: "agt_b" }, { id: "agt_a" }] });
  });

  test("of another project are not there", async () => {
    await catalog.createAgent(PROJECT, { id: "agt_mine", name: "mine" }, version("first"));
    expect(await catalog.agent("prj_other", "agt_mine")).toBeNull();
    expect(await catalog.version("prj_other", "agt_mine", 1)).toBeNull();
    expect(await catalog.deleteAgent("prj_other", "agt_mine")).toBe(false);
    expect((await catalog.listAgents("prj_other", null, 10)).items).toEqual([]);
  });
});

describe("model keys", () => {
  test("are put, read and deleted once", async () => {
    await catalog.putModelKey(PROJECT, modelKey("mkey_1"));
    expect(await catalog.modelKey(PROJECT, "mkey_1")).toEqual(modelKey("mkey_1"));
    expect(await catalog.modelKey("prj_other", "mkey_1")).toBeNull();
    const again = catalog.putModelKey(PROJECT, modelKey("mkey_1"));
    await expect(again).rejects.toMatchObject({ name: "ConditionalCheckFailedException" });
    expect(await catalog.deleteModelKey(PROJECT, "mkey_1")).toBe(true);
    expect(await catalog.deleteModelKey(PROJECT, "mkey_1")).toBe(false);
    expect(await catalog.modelKey(PROJECT, "mkey_1")).toBeNull();
  });

  test("are listed newest first, apart from agents", async () => {
    await catalog.createAgent("prj_keys", { id: "agt_z", name: "z" }, version("first"));
    for (const id of ["mkey_a", "mkey_b", "mkey_c"]) await catalog.putModelKey("prj_keys", modelKey(id));
    const page = await catalog.listModelKeys("prj_keys", null, 2);
    expect(page).toMatchObject({ more: true, items: [{ id: "mkey_c" }, { id: "mkey_b" }] });
    expect(await catalog.listModelKeys("prj_keys", "mkey_b", 2)).toMatchObject({
      more: false,
      items: [{ id: "mkey_a" }],
    });
  });
});
