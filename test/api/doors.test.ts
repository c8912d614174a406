import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AgentVersion } from "../../contract/schemas/agents.ts";
import { ToolResultsReceipt } from "../../contract/schemas/tool-results.ts";
import { isIdle, isWaiting } from "../support/api.ts";
import { bearer } from "../support/http.ts";
import { idsOf, listOf } from "../support/pages.ts";
import { patience } from "../support/patience.ts";
import { type Target, target } from "../support/target.ts";
import {
  agentWith,
  type Door,
  freeForm,
  type Here,
  ofText,
  output,
  post,
  refused,
} from "./doors/requests.ts";
import { agentConfig, askForCustomer } from "./refusals/world.ts";

let stack: Target;
let key: string;
let agent: string;
let here: Here;

beforeAll(async () => {
  stack = await target();
  key = (await stack.api.createKey()).id;
  agent = (await stack.api.createAgent(agentConfig(key))).id;
  here = await waiting();
}, patience.hook);
afterAll(() => stack?.close());

/** A session with a call that waits. */
async function waiting(): Promise<Here> {
  const { id: session } = await stack.api.createSession(agent);
  await stack.api.sendInput(session, askForCustomer);
  const [pending] = (await stack.api.until(session, isWaiting)).pending_tool_calls;
  if (pending === undefined) throw new Error("the run made no call");
  return { key, agent, session, run: pending.run_id, call: pending.id };
}

/** Everything that the doors could have made or changed. */
const stored = async () => ({
  agents: await listOf(stack.api, "/agents"),
  agent: await stack.api.send("GET", `/agents/${agent}`).then(({ body }) => body),
  keys: await listOf(stack.api, "/model-api-keys"),
  // Runs of other tests may still go on.
  sessions: idsOf(await listOf(stack.api, "/sessions")),
  inputs: await listOf(stack.api, `/sessions/${here.session}/inputs`),
  pending: (await stack.api.session(here.session)).pending_tool_calls,
});

async function refusesAll(doors: readonly Door[], json: string, message: RegExp): Promise<void> {
  const before = await stored();
  for (const { path, body, place } of doors) {
    const answer = refused(await post(stack.api, path, body(json)));
    expect(answer).toMatchObject({ status: 400, code: "invalid_request" });
    expect(answer.message).toMatch(message);
    expect(answer.message.slice(0, place.length)).toBe(place);
  }
  expect(await stored()).toEqual(before);
}

describe("a number that a double does not hold", patience.test, () => {
  const numbers = ["1e400", "-1E+999", "9007199254740993", "-9007199254740993.0", "18446744073709551616"];

  it.each(numbers)("is refused with its place at every door, and nothing is stored: %s", async (number) => {
    await refusesAll(freeForm(here), number, /Send it as a string\.$/);
  });

  it("is refused in the keys that a schema knows, before the schema is asked", async () => {
    const { session, agent: id } = here;
    const body = `{"agent":{"id":"${id}","version":9007199254740993},"subject_id":"a"}`;
    expect(refused(await post(stack.api, "/sessions", body)).message).toMatch(/^agent\.version: An integer/);
    expect((await stack.api.session(session)).pending_tool_calls).toHaveLength(1);
  });

  it("is no matter in a text, and a fraction is the nearest one", async () => {
    const at = await waiting();
    const sent = '{"id":"9007199254740993","e":"1e400","pi":3.14159265358979323846,"avogadro":6.02214076e23}';
    const { status, text } = await post(stack.api, `/sessions/${at.session}/tool-results`, output(at, sent));
    expect(status).toBe(200);
    const [call] = ToolResultsReceipt.parse(JSON.parse(text)).calls;
    expect(call?.result).toEqual(JSON.parse(sent));
  });
});

describe("half of a surrogate pair", patience.test, () => {
  const halves = { high: '"\\ud800"', low: '"a\\uDC00b"', turned: '"\\udc00\\ud800"' };

  it.each(Object.entries(halves))(
    "is refused with its place at every door, and nothing is stored: %s",
    async (_, half) => {
      await refusesAll(ofText(here), half, /half of a surrogate pair\.$/);
    },
  );

  it("is refused in keys, of which two could become one", async () => {
    await refusesAll(freeForm(here), '{"\\ud800":1,"\\ud801":2}', /\.\uFFFD: .*half of a surrogate pair\.$/);
  });

  it("is refused in the error of a call too", async () => {
    const { run, call, session } = here;
    const error = '{"code":"x","message":"\\ud800"}';
    const body = `{"run_id":"${run}","results":[{"call_id":"${call}","success":false,"error":${error}}]}`;
    const answer = refused(await post(stack.api, `/sessions/${session}/tool-results`, body));
    expect(answer.message).toMatch(/^results\.0\.error\.message: /);
  });

  it("is no subject to filter by, nor is what invalid UTF-8 becomes", async () => {
    for (const subject of ["%ED%A0%80", "a%FF", "%EF%BF%BD"]) {
      const { status, body } = await stack.api.send("GET", `/sessions?subject_id=${subject}`);
      expect([status, body]).toMatchObject([400, { error: { code: "invalid_parameter" } }]);
    }
  });

  it("is nothing that a path names", async () => {
    for (const path of [
      "/agents/%ED%A0%80",
      "/agents/agt_%FF",
      "/%ED%A0%80",
      "/sessions/ses_1/runs/%C0%80",
    ]) {
      const { status, body } = await stack.api.send("GET", path);
      expect([400, 404], JSON.stringify(body)).toContain(status);
    }
  });

  it("leaves whole pairs as they are", async () => {
    const at = await waiting();
    const answer = await post(
      stack.api,
      `/sessions/${at.session}/tool-results`,
      output(at, '"\\ud83d\\ude00"'),
    );
    expect(ToolResultsReceipt.parse(JSON.parse(answer.text)).calls[0]?.result).toBe("😀");
  });
});

describe("ends of lines that JSON leaves in texts", patience.test, () => {
  it("are none in a stream, whose events have the same text", async () => {
    const title = "a\u0085b\u2028c\u2029d";
    const { id } = await stack.api.createSession(agent, { title });
    await stack.api.sendInput(id, title);
    await stack.api.until(id, isIdle);
    await stack.api.send("POST", `/sessions/${id}/archive`);
    const [first, ...events] = await stack.api.events(id);
    const url = `${stack.api.baseUrl}/sessions/${id}/events/stream?after=${first?.id}`;
    const raw = await (await fetch(url, { headers: bearer(stack.api.key) })).text();
    expect(raw).not.toMatch(/[\u0085\u2028\u2029]/);
    const data = raw.split("\n").filter((line) => line.startsWith("data: "));
    expect(data.map((line) => JSON.parse(line.slice("data: ".length)))).toEqual(events);
    expect(JSON.stringify(events)).toContain(title);
  });
});

describe("keys that mean something to JavaScript", patience.test, () => {
  const keys = '"__proto__":{"a":1},"constructor":{"prototype":null},"toString":"x","hasOwnProperty":[]';
  const sizes = { small: `{${keys}}`, large: `{${keys},"pad":"${"x".repeat(20_000)}"}` };

  it.each(Object.entries(sizes))("come back in a %s output, and make it another one", async (_, sent) => {
    const at = await waiting();
    const path = `/sessions/${at.session}/tool-results`;
    const first = await post(stack.api, path, output(at, sent));
    expect(first.status).toBe(200);
    const { text } = await post(stack.api, path, output(at, sent));
    expect(JSON.parse(text)).toEqual(JSON.parse(first.text));
    expect(text).toContain('"__proto__":{"a":1}');
    const without = JSON.stringify({ ...JSON.parse(sent), ["__proto__"]: undefined });
    expect(refused(await post(stack.api, path, output(at, without))).code).toBe("tool_result_conflict");
    const told = (await stack.api.events(at.session)).find(({ type }) => type === "tool.completed");
    expect(JSON.stringify(told)).toContain('"__proto__":{"a":1}');
  });

  it.each(Object.entries(sizes))("come back in the %s schema of a function", async (_, sent) => {
    const { status, text } = await post(stack.api, "/agents", agentWith(here, `"examples":[${sent}]`));
    expect(status, text).toBe(201);
    const { body } = await stack.api.send("GET", `/agents/${JSON.parse(text).id}/versions/1`);
    const tool = AgentVersion.parse(body).config.tools[0];
    expect(JSON.stringify(tool)).toContain('"__proto__":{"a":1},"constructor":{"prototype":null}');
  });
});
