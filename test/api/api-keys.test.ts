import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errors } from "../../contract/errors.ts";
import { ApiKey, CreatedApiKey } from "../../contract/schemas/api-keys.ts";
import { type Backend, backend, codeOf } from "../support/api.ts";
import { createKeyOf } from "../support/keys.ts";
import { idsOf, listOf, pageOf, pagesOf } from "../support/pages.ts";
import { patience } from "../support/patience.ts";
import { stored } from "../support/storage.ts";
import { laptopCan, laptopOf, operatorCan, operatorOf, type Target, target } from "../support/target.ts";

let stack: Target;
beforeAll(async () => {
  stack = await target({ env: { STEPYARD_LOG_LEVEL: "info" } });
}, patience.hook);
afterAll(() => stack?.close());

const create = (name = "a backend") =>
  operatorOf(stack).expectOk(CreatedApiKey, 201, "POST", "/api-keys", { name });
const remove = (id: string) => operatorOf(stack).send("DELETE", `/api-keys/${id}`);
const withKey = ({ secret }: { secret: string }): Backend => backend(stack.api.baseUrl, secret);
const statusOf = async (api: Backend): Promise<number> => (await api.send("GET", "/agents?limit=1")).status;
/** What of a secret is nobody's business; its prefix is shown. */
const hidden = ({ secret, prefix }: { secret: string; prefix: string }) => secret.slice(prefix.length);

const managed = operatorCan("managing API keys");

describe.runIf(managed)("an API key", patience.test, () => {
  it("works at once, for the operators' project", async () => {
    const key = await create();
    const mine = await withKey(key).createKey();
    const { data } = await pageOf(operatorOf(stack), "/model-api-keys", "limit=1");
    expect(idsOf(data)).toEqual([mine.id]);
    expect((await stack.other.send("GET", `/model-api-keys/${mine.id}`)).status).toBe(404);
  });

  it("has 256 random bits behind the prefix that is shown", async () => {
    const [one, two] = [await create(), await create()];
    expect(one.secret.startsWith(one.prefix)).toBe(true);
    expect(one.prefix).toMatch(/^stepyard_[0-9a-f]{8}$/);
    expect(hidden(one)).toMatch(/^[0-9a-f]{64}$/);
    expect(hidden(one)).not.toBe(hidden(two));
  });

  it("may have the name of another", async () => {
    const [one, two] = [await create("twice"), await create("twice")];
    expect(one.id).not.toBe(two.id);
    const named = (await listOf(operatorOf(stack), "/api-keys")).filter(({ id }) =>
      [one.id, two.id].includes(id),
    );
    expect(named.map(({ name }) => name)).toEqual(["twice", "twice"]);
  });

  it("is refused at once when it is deleted, and is in the list no more", async () => {
    const key = await create();
    expect(await statusOf(withKey(key))).toBe(200);
    expect(await remove(key.id)).toMatchObject({ status: 204, body: null });
    const refused = await withKey(key).send("GET", "/agents");
    expect([refused.status, codeOf(refused)]).toEqual([401, "unauthorized"]);
    expect(idsOf(await listOf(operatorOf(stack), "/api-keys"))).not.toContain(key.id);
    const again = await remove(key.id);
    expect([again.status, codeOf(again)]).toEqual([404, "not_found"]);
  });

  it("is deleted by one of two requests at once", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await create();
      const answers = await Promise.all([remove(id), remove(id)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
    }
  });

  it("is refused to every request that begins after its deletion was answered", async () => {
    const key = await create();
    const api = withKey(key);
    expect(await statusOf(api)).toBe(200);
    let deleted = false;
    const deletion = remove(key.id).then(({ status }) => {
      deleted = true;
      return status;
    });
    const raced = Array.from({ length: 20 }, async (_, at) => {
      // Some begin with the deletion, some while it is under way, some after it.
      for (let turn = 0; turn < at % 5; turn += 1) await statusOf(stack.api);
      const after = deleted;
      return { after, status: await statusOf(api) };
    });
    const answers = await Promise.all(raced);
    expect(await deletion).toBe(204);
    expect(answers.filter(({ status }) => status !== 200 && status !== 401)).toEqual([]);
    expect(answers.filter(({ after, status }) => after && status !== 401)).toEqual([]);
    expect(await statusOf(api)).toBe(401);
  });

  it("may not manage keys", async () => {
    const key = await create();
    const requests = [
      ["GET", "/api-keys"],
      ["POST", "/api-keys", { name: "mine" }],
      ["DELETE", `/api-keys/${key.id}`],
    ] as const;
    for (const api of [withKey(key), stack.api, stack.other]) {
      for (const [method, path, body] of requests) {
        const answer = await api.send(method, path, body);
        expect([answer.status, codeOf(answer)]).toEqual([403, "forbidden"]);
      }
    }
    expect(await statusOf(withKey(key))).toBe(200);
  });
});

describe.runIf(managed)("the list of API keys", patience.test, () => {
  it("has metadata alone", async () => {
    const { secret: _, ...key } = await create("in the list");
    const [listed] = (await pageOf(operatorOf(stack), "/api-keys", "limit=1")).data;
    expect(ApiKey.parse(listed)).toEqual(key);
  });

  it("is newest first, and its pages are the whole", async () => {
    const made = [await create("one"), await create("two"), await create("three")];
    const all = idsOf(await listOf(operatorOf(stack), "/api-keys"));
    expect(all.slice(0, 3)).toEqual(idsOf(made).reverse());
    for (const limit of [1, 2, all.length]) {
      const pages = await pagesOf(operatorOf(stack), "/api-keys", `limit=${limit}`);
      expect(idsOf(pages.flatMap(({ data }) => data))).toEqual(all);
      expect(pages.length).toBe(Math.ceil(all.length / limit));
    }
  });

  it("goes on behind its place when keys are deleted on both sides of it", async () => {
    for (const name of ["a", "b", "c", "d", "e"]) await create(name);
    const before = idsOf(await listOf(operatorOf(stack), "/api-keys"));
    const first = await pageOf(operatorOf(stack), "/api-keys", "limit=2");
    for (const id of before.slice(1, 3)) expect((await remove(id)).status).toBe(204);
    const rest = idsOf(await listOf(operatorOf(stack), "/api-keys", "limit=2", first.next_cursor));
    expect(rest).toEqual(before.slice(3));
  });
});

const looked = laptopCan("what is kept of an API key", "its table cannot be looked into");

describe.runIf(looked)("another project's API key", patience.test, () => {
  it("is neither listed nor deleted", async () => {
    const theirs = await createKeyOf(laptopOf(stack), "prj_devother");
    expect(await statusOf(withKey(theirs))).toBe(200);
    expect(idsOf(await listOf(operatorOf(stack), "/api-keys"))).not.toContain(theirs.id);
    const answer = await remove(theirs.id);
    expect([answer.status, codeOf(answer)]).toEqual([404, "not_found"]);
    expect(await statusOf(withKey(theirs))).toBe(200);
  });
});

describe.runIf(looked)("the secret of an API key", patience.test, () => {
  it("is stored, listed and printed nowhere", async () => {
    const key = await create("secret");
    expect(await statusOf(withKey(key))).toBe(200);
    expect(await stored(laptopOf(stack), key.id)).toHaveLength(1);
    expect(await stored(laptopOf(stack), hidden(key))).toEqual([]);
    expect(JSON.stringify(await pagesOf(operatorOf(stack), "/api-keys"))).not.toContain(hidden(key));
    await remove(key.id);
    const output = laptopOf(stack).output();
    expect(output).toContain('"message":"request"');
    expect(output).not.toContain(hidden(key));
  });

  it("leaves nothing behind when the key is deleted", async () => {
    const key = await create("short-lived");
    const [listed = ""] = await stored(laptopOf(stack), key.id);
    expect(listed).toBe(`PRJ#prj_dev APIKEY#${key.id}`);
    const lookups = await stored(laptopOf(stack), "KEY#");
    await remove(key.id);
    expect(await stored(laptopOf(stack), key.id)).toEqual([]);
    expect(lookups.length - (await stored(laptopOf(stack), "KEY#")).length).toBe(2);
  });
});

describe.runIf(managed)("a dashboard session", patience.test, () => {
  it("does what a key of its project does", async () => {
    const operator = operatorOf(stack);
    const key = await operator.createKey();
    const config = { model: "openai/gpt-6.1-sol", model_api_key_id: key.id, instructions: "Help." };
    const agent = await operator.createAgent(config);
    const session = await operator.createSession(agent.id);
    const stream = await fetch(`${operator.baseUrl}/sessions/${session.id}/events/stream`, {
      headers: { authorization: `Bearer ${operator.key}` },
    });
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
    expect((await operator.session(session.id)).id).toBe(session.id);
    expect((await stack.other.send("GET", `/sessions/${session.id}`)).status).toBe(404);
  });

  it.each([
    ["the scheme in other letters", "bEaReR ", 200] as const,
    ["another scheme", "Basic ", 401] as const,
  ])("is known by its bearer: %s", async (_, scheme, status) => {
    const headers = { authorization: `${scheme}${operatorOf(stack).key}` };
    expect((await fetch(`${stack.api.baseUrl}/api-keys`, { headers })).status).toBe(status);
  });

  it("is nobody below a root that needs signatures", async () => {
    const signed = backend(stack.api.baseUrl.replace(/\/v1$/, "/aws/v1"), operatorOf(stack).key);
    const { status } = await signed.send("GET", "/api-keys");
    expect([errors.unauthorized.status, errors.not_found.status]).toContain(status);
  });
});
