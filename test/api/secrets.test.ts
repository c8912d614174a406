import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { offlineRespond } from "../../local/model/offline.ts";
import type { Respond } from "../../local/model/reply.ts";
import { isIdle } from "../support/api.ts";
import { pagesOf } from "../support/pages.ts";
import { patience } from "../support/patience.ts";
import { deltasOf, isOver, openStream } from "../support/sse.ts";
import { laptopCan, laptopOf, onLaptop, type Target, target } from "../support/target.ts";
import { agentConfig } from "./refusals/world.ts";

/** Unlike anything else; their ends are told to whoever may see the key, their middles to nobody. */
const secrets = {
  openai: "sk-proj-Zq7mXw4vLk9bRt2nHs6cYd3fGj8pWe5u",
  anthropic: "sk-ant-api03-Qz9xVc4bNm7kLj2hGf5dSa8pOi3uYt6r",
} as const;
type Provider = keyof typeof secrets;
const models = { openai: "openai/gpt-6.1-sol", anthropic: "anthropic/claude-sonnet-5-5" } as const;

/** What would give a secret away: a piece of its middle, as text and in the encodings that libraries make of texts. */
function traces(secret: string): Buffer[] {
  const middle = secret.slice(8, 20);
  const encoded = [0, 1, 2].map((shift) => {
    const text = Buffer.from(`${" ".repeat(shift)}${middle}`).toString("base64");
    // Without the characters at the ends, which depend on what stands beside it.
    return text.slice(shift === 0 ? 0 : 4, -4);
  });
  return [
    Buffer.from(middle),
    Buffer.from(middle, "utf16le"),
    Buffer.from(Buffer.from(middle).toString("hex")),
    ...encoded.map((text) => Buffer.from(text)),
  ];
}

const allTraces = Object.values(secrets).flatMap(traces);
const givesAway = (bytes: Buffer | string): boolean =>
  allTraces.some((trace) => Buffer.from(bytes).includes(trace));

/** How the scripted provider repeats the key that it was sent. */
const echoes: Record<string, (key: string) => ReturnType<Respond>> = {
  "an error's message": (key) => ({
    httpError: { status: 401, type: "authentication_error", message: `Incorrect API key provided: ${key}.` },
  }),
  "half of it in an error's message": (key) => ({
    httpError: { status: 403, type: "permission_error", message: `No access for ${key.slice(0, 24)}…` },
  }),
  "an error's type and code": (key) => ({
    httpError: { status: 400, type: key, code: key, message: "invalid" },
  }),
  "a page that is no JSON": (key) => ({
    httpError: { status: 400, type: "", message: "", body: `<html>Authorization: Bearer ${key}</html>` },
  }),
  "an error in mid-stream": (key) => ({
    text: "Half an answer",
    streamError: { type: "invalid_request_error", message: `rejected x-api-key=${key}`, after: 1 },
  }),
};

let data: string;
let stack: Target;

const respond: Respond = (call) => {
  const echo = echoes[call.lastUserText];
  if (echo === undefined) return offlineRespond(call);
  const { headers } = stack.model?.requests.at(-1) ?? {};
  const key = String(headers?.["x-api-key"] ?? headers?.authorization?.replace("Bearer ", ""));
  if (key !== secrets[call.provider]) throw new Error("the model was asked with another key");
  return echo(key);
};

beforeAll(async () => {
  if (!onLaptop) return;
  data = await mkdtemp(join(tmpdir(), "stepyard-secrets-"));
  stack = await target({ data, respond, env: { STEPYARD_LOG_LEVEL: "info" } });
}, patience.hook);
afterAll(async () => {
  await stack?.close();
  if (data !== undefined) await rm(data, { recursive: true, force: true });
});

async function prepare(provider: Provider) {
  const key = await stack.api.createKey(provider, secrets[provider]);
  const agent = await stack.api.createAgent(agentConfig(key.id, { model: models[provider], tools: [] }));
  return { key, agent, session: await stack.api.createSession(agent.id) };
}

const scripted = laptopCan("what gives a model key away", "its model cannot be scripted");

describe.runIf(scripted).each(["openai", "anthropic"] as const)(
  "the key of %s",
  patience.test,
  (provider) => {
    it("is shown by its ends alone", async () => {
      const { key } = await prepare(provider);
      expect(key).toMatchObject({
        prefix: secrets[provider].slice(0, 4),
        suffix: secrets[provider].slice(-4),
      });
    });

    it.each(Object.keys(echoes))("does not come back from a provider that repeats it in %s", async (echo) => {
      const { session } = await prepare(provider);
      const stream = await openStream(stack.api, session.id, { deltas: true });
      const { run_id } = await stack.api.sendInput(session.id, echo);
      await stream.until(isOver);
      await stream.close();
      const run = await stack.api.run(session.id, String(run_id));
      expect(run).toMatchObject({ status: "failed", error: { code: "model_error" } });
      expect(givesAway(JSON.stringify([run, stream.frames, deltasOf(stream.frames)]))).toBe(false);
    });

    it("is in no answer to a request that holds it", async () => {
      const body = { name: "n", provider, key: secrets[provider] };
      const wrong = [
        { ...body, provider: "google" },
        { ...body, key: `${secrets[provider]} ` },
        { ...body, name: "a\0" },
        { ...body, name: "" },
        JSON.stringify(body).slice(0, -1),
      ];
      for (const sent of wrong) {
        const answer = await stack.api.send("POST", "/model-api-keys", sent);
        expect(answer.status).toBe(400);
        expect(givesAway(JSON.stringify(answer.body))).toBe(false);
      }
    });
  },
);

describe.runIf(scripted)("after runs with both keys, nothing of them", patience.test, () => {
  const sessions: { id: string; agent: string; run: string; input: string; key: string }[] = [];

  beforeAll(async () => {
    for (const provider of ["openai", "anthropic"] as const) {
      const { key, agent, session } = await prepare(provider);
      const input = await stack.api.sendInput(session.id, "Hello");
      await stack.api.until(session.id, isIdle);
      const run = await stack.api.run(session.id, String(input.run_id));
      expect(run.status).toBe("completed");
      sessions.push({ id: session.id, agent: agent.id, run: run.id, input: input.id, key: key.id });
    }
  });

  it("is in any answer", async () => {
    const lists = [
      ...["/model-api-keys", "/agents", "/sessions"],
      ...sessions.flatMap(({ id }) => ["inputs", "runs", "events"].map((list) => `/sessions/${id}/${list}`)),
    ];
    const single = sessions.flatMap(({ id, agent, run, input, key }) => [
      ...[`/model-api-keys/${key}`, `/agents/${agent}`, `/agents/${agent}/versions/1`, `/sessions/${id}`],
      ...[`/sessions/${id}/runs/${run}`, `/sessions/${id}/inputs/${input}`],
    ]);
    for (const path of lists)
      expect([path, givesAway(JSON.stringify(await pagesOf(stack.api, path)))]).toEqual([path, false]);
    for (const path of single) {
      const { body } = await stack.api.send("GET", path);
      expect([path, givesAway(JSON.stringify(body))]).toEqual([path, false]);
    }
  });

  it("is in what the model was sent, but for the header that it is for", () => {
    const requests = stack.model?.requests ?? [];
    expect(requests.length).toBeGreaterThan(0);
    for (const { body, headers } of requests) {
      expect(givesAway(body)).toBe(false);
      const holding = Object.entries(headers).filter(([, value]) => givesAway(String(value)));
      expect(holding.map(([name]) => name)).toEqual([
        headers["x-api-key"] === undefined ? "authorization" : "x-api-key",
      ]);
    }
  });

  it("is printed", () => {
    const output = laptopOf(stack).output();
    expect(output).toContain('"message":"request"');
    expect(givesAway(output)).toBe(false);
  });

  it("is in any file, and the file that opens them is for its owner alone", async () => {
    const files = await filesIn(data);
    expect(files.filter((file) => /\.db(-wal)?$/.test(file)).length).toBeGreaterThan(0);
    for (const file of files) expect([file, givesAway(await readFile(file))]).toEqual([file, false]);
    const keyFile = join(data, "secrets.key");
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
  });

  it("is in any file once the stack has ended", async () => {
    expect(await laptopOf(stack).stop()).toBe(0);
    for (const file of await filesIn(data))
      expect([file, givesAway(await readFile(file))]).toEqual([file, false]);
  });
});

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe("a trace", patience.test, () => {
  it("is found in every form that it is looked for in", () => {
    const secret = secrets.openai;
    const forms = [
      ...[secret, `x${secret}y`, Buffer.from(secret, "utf16le"), Buffer.from(secret).toString("hex")],
      ...["", "a", "ab"].map((before) => Buffer.from(`${before}${secret}`).toString("base64")),
    ];
    expect(forms.map(givesAway)).toEqual(forms.map(() => true));
    expect(givesAway(`${secret.slice(0, 4)}…${secret.slice(-4)}`)).toBe(false);
  });
});
