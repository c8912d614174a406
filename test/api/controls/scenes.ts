/** Sessions in every state that a client can find one in, each with what is bound, queued and called in it. */
import { type Backend, isIdle, isWaiting } from "../../support/api.ts";
import type { Gated } from "../../support/gated.ts";
import { agentConfig, askForCustomer, settledOutput } from "../refusals/world.ts";

export type Stage = {
  readonly api: Backend;
  readonly agent: string;
  /** Holds runs as they are; null where the stack is deployed. */
  readonly engine: Gated | null;
};

export type Scene = {
  readonly session: string;
  /** The active run, or else the last; empty where there was none, like all that the state does not have. */
  readonly run: string;
  readonly first: string;
  readonly steered: string;
  readonly queued: string;
  readonly call: string;
};

const nothing = { run: "", first: "", steered: "", queued: "", call: "" };

export async function control(api: Backend, session: string, what: string, status: number, body?: object) {
  const answer = await api.send("POST", `/sessions/${session}/${what}`, body);
  if (answer.status !== status)
    throw new Error(`${what}: ${answer.status} ${JSON.stringify(answer.body)?.slice(0, 500)}`);
}

async function idle({ api, agent, engine }: Stage): Promise<Scene> {
  const { id } = await api.createSession(agent);
  engine?.hold(id);
  return { ...nothing, session: id };
}

/** A run that called a function, got its result and completed. */
async function completed(stage: Stage): Promise<Scene> {
  const { api, engine } = stage;
  const { id: session } = await api.createSession(stage.agent);
  const { id: first, run_id } = await api.sendInput(session, askForCustomer);
  const [call] = (await api.until(session, isWaiting)).pending_tool_calls;
  const result = { call_id: call?.id, success: true, output: settledOutput };
  await control(api, session, "tool-results", 200, { run_id, results: [result] });
  await api.until(session, isIdle);
  engine?.hold(session);
  return { ...nothing, session, run: run_id ?? "", first, call: call?.id ?? "" };
}

/** Bound and queued input behind an active run. */
async function behind({ api }: Stage, session: string): Promise<Pick<Scene, "steered" | "queued">> {
  const { id: steered } = await api.sendInput(session, "And more", { mode: "steer" });
  const { id: queued } = await api.sendInput(session, "Next");
  return { steered, queued };
}

/** A run that no execution has taken up yet. */
async function running(stage: Stage, agent = stage.agent): Promise<Scene> {
  const { api, engine } = stage;
  const { id: session } = await api.createSession(agent);
  engine?.hold(session);
  const { id: first, run_id } = await api.sendInput(session, "Hello");
  return { ...nothing, session, run: run_id ?? "", first, ...(await behind(stage, session)) };
}

/** A run with a call open. */
async function waiting(stage: Stage): Promise<Scene> {
  const { api, engine } = stage;
  const { id: session } = await api.createSession(stage.agent);
  const { id: first, run_id } = await api.sendInput(session, askForCustomer);
  const [call] = (await api.until(session, isWaiting)).pending_tool_calls;
  engine?.hold(session);
  return { session, run: run_id ?? "", first, call: call?.id ?? "", ...(await behind(stage, session)) };
}

async function pausing(stage: Stage, scene: Scene): Promise<Scene> {
  await control(stage.api, scene.session, "pause", 202);
  return scene;
}

async function paused(stage: Stage, scene: Scene): Promise<Scene> {
  await pausing(stage, scene);
  return goesOn(stage, scene);
}

/** Lets the engine settle what was asked, until the session is paused. */
async function goesOn({ api, engine }: Stage, scene: Scene): Promise<Scene> {
  engine?.release(scene.session);
  await api.until(scene.session, ({ status }) => status === "paused");
  engine?.hold(scene.session);
  return scene;
}

async function pausedIdle(stage: Stage): Promise<Scene> {
  const { session } = await idle(stage);
  await control(stage.api, session, "pause", 200);
  const { id: queued } = await stage.api.sendInput(session, "Next");
  return { ...nothing, session, queued };
}

async function stopping(stage: Stage, scene: Scene): Promise<Scene> {
  await control(stage.api, scene.session, "stop", 202, { run_id: scene.run });
  return scene;
}

/** The model key goes before the run asks. */
async function failed(stage: Stage): Promise<Scene> {
  const { api } = stage;
  const key = await api.createKey();
  const agent = await api.createAgent(agentConfig(key.id));
  const scene = await running(stage, agent.id);
  await api.send("DELETE", `/model-api-keys/${key.id}`);
  return goesOn(stage, scene);
}

async function interrupted(stage: Stage): Promise<Scene> {
  const scene = await waiting(stage);
  await stage.engine?.lose(scene.session);
  return scene;
}

/** Archived with an input queued, after a run with an accepted result. */
async function archived(stage: Stage): Promise<Scene> {
  const scene = await completed(stage);
  await control(stage.api, scene.session, "pause", 200);
  const { id: queued } = await stage.api.sendInput(scene.session, "Never");
  await control(stage.api, scene.session, "archive", 200);
  return { ...scene, queued };
}

export const scenes = {
  idle,
  completed,
  running: (stage) => running(stage),
  waiting,
  pausing: async (stage) => pausing(stage, await running(stage)),
  "pausing, waiting": async (stage) => pausing(stage, await waiting(stage)),
  "paused, idle": pausedIdle,
  "paused, running": async (stage) => paused(stage, await running(stage)),
  "paused, waiting": async (stage) => paused(stage, await waiting(stage)),
  stopping: async (stage) => stopping(stage, await running(stage)),
  "stopping, waiting": async (stage) => stopping(stage, await waiting(stage)),
  stopped: async (stage) => goesOn(stage, await stopping(stage, await waiting(stage))),
  failed,
  interrupted,
  archived,
} as const satisfies Readonly<Record<string, (stage: Stage) => Promise<Scene>>>;
export type SceneName = keyof typeof scenes;

/** States that pass by themselves, or that no client can bring about: held on the laptop, out of reach elsewhere. */
export const heldOnly: readonly SceneName[] = [
  "running",
  "pausing",
  "pausing, waiting",
  "paused, running",
  "stopping",
  "stopping, waiting",
  "failed",
  "interrupted",
];
