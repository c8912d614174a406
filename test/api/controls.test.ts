import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type * as z from "zod";
import { errors } from "../../contract/errors.ts";
import { Input } from "../../contract/schemas/inputs.ts";
import { Session } from "../../contract/schemas/sessions.ts";
import { ToolResultsReceipt } from "../../contract/schemas/tool-results.ts";
import { offlineRespond } from "../../local/model/offline.ts";
import { type Answer, backend, codeOf } from "../support/api.ts";
import { startGated } from "../support/gated.ts";
import { patience } from "../support/patience.ts";
import { laptopCan, onLaptop, target } from "../support/target.ts";
import { heldOnly, type Scene, type SceneName, type Stage, scenes } from "./controls/scenes.ts";
import { type Outcome, table } from "./controls/table.ts";
import { agentConfig } from "./refusals/world.ts";

let stage: Stage;
let close: () => Promise<void>;

beforeAll(async () => {
  stage = await setUp();
}, patience.hook);
afterAll(() => close?.());

async function setUp(): Promise<Stage> {
  const { api, engine } = await stack();
  const agent = await api.createAgent(agentConfig((await api.createKey()).id));
  return { api, engine, agent: agent.id };
}

async function stack(): Promise<Pick<Stage, "api" | "engine">> {
  if (onLaptop) {
    // The functions in this process log the losses that are wanted of them here.
    vi.spyOn(console, "log").mockReturnValue();
    const engine = await startGated(offlineRespond);
    close = engine.close;
    return { api: backend(engine.url), engine };
  }
  const deployed = await target();
  close = deployed.close;
  return { api: deployed.api, engine: null };
}

/** One session a state for everything that changes none. */
const shared = new Map<SceneName, Promise<Scene>>();
function unchanging(name: SceneName): Promise<Scene> {
  const scene = shared.get(name) ?? scenes[name](stage);
  shared.set(name, scene);
  return scene;
}

const changes = (outcome: Outcome): boolean => "events" in outcome && outcome.events.length > 0;

/** Everything of a session that a request could change. */
async function footprint({ api, engine }: Stage, id: string) {
  const [session, version] = await Promise.all([api.session(id), engine?.version(id)]);
  return { session, version };
}

async function check(name: SceneName, outcome: Outcome, request: (typeof table)[string]["request"]) {
  const { api } = stage;
  const scene = await (changes(outcome) ? scenes[name](stage) : unchanging(name));
  const before = await footprint(stage, scene.session);
  const { method, path, body } = request(scene);
  const answer = await api.send(method, path, body);
  if ("code" in outcome) expect([answer.status, codeOf(answer)]).toEqual(refusal(outcome.code));
  else await checkAccepted(answer, path, outcome, scene);
  if (changes(outcome)) await checkAdded(outcome, before.session);
  else expect(await footprint(stage, scene.session)).toEqual(before);
}

const refusal = (code: keyof typeof errors) => [errors[code].status, code];

const schemaOf = (path: string): z.ZodType | null =>
  path.endsWith("/inputs") ? Input : path.endsWith("/tool-results") ? ToolResultsReceipt : Session;

async function checkAccepted(
  answer: Answer,
  path: string,
  outcome: Exclude<Outcome, { code: unknown }>,
  scene: Scene,
) {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: outcome.status });
  if (outcome.status === 204) return expect(answer.body).toBeNull();
  const body = schemaOf(path)?.parse(answer.body);
  if (outcome.session !== undefined) expect(body).toMatchObject(outcome.session);
  if (path.endsWith("/inputs"))
    checkInput(Input.parse(body), outcome.events.includes("session.updated"), scene);
}

/** Queued input has no run; any other has the active one, its own where it started that. */
function checkInput(input: Input, waits: boolean, scene: Scene) {
  expect(input).toMatchObject({ status: "accepted", session_id: scene.session });
  expect(input.run_id === null).toBe(waits);
  if (scene.steered !== "" && !waits) expect(input.run_id).toBe(scene.run);
}

/** The history has these events more, and the last `session.updated` says how the session is now. */
async function checkAdded(outcome: Outcome, before: Session) {
  if (!("events" in outcome)) return;
  const added = (await stage.api.events(before.id)).slice(before.last_event_sequence);
  const types = added.map(({ type }) => type);
  // A deployed engine goes on at once.
  expect(onLaptop ? types : types.slice(0, outcome.events.length)).toEqual(outcome.events);
  if (!onLaptop) return;
  const now = await stage.api.session(before.id);
  expect(now.last_event_sequence).toBe(before.last_event_sequence + added.length);
  for (const event of added) {
    if (event.type !== "session.updated" && event.type !== "session.archived") continue;
    expect(now).toMatchObject(event.data.session);
  }
}

const held: readonly SceneName[] = heldOnly;
const holds = laptopCan(`sessions that are ${heldOnly.join("; ")}`, "its engine cannot be held");

describe.each(Object.entries(table))("%s", patience.test, (_, row) => {
  for (const [name, outcome] of Object.entries(row.in) as [SceneName, Outcome][]) {
    const what =
      "code" in outcome ? outcome.code : `${outcome.status} ${outcome.events.join(", ") || "nothing"}`;
    it.runIf(holds || !held.includes(name))(`in a session that is ${name}: ${what}`, () =>
      check(name, outcome, row.request),
    );
  }
});
