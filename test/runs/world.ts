import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import type { RecordedRequest } from "../../local/model/record.ts";
import type { ModelCall, Provider, Reply } from "../../local/model/reply.ts";
import { type ModelServer, startModelServer } from "../../local/model/server.ts";
import { backend } from "../support/api.ts";
import { type Laptop, startLaptop } from "../support/laptop.ts";
import { openTalk, type Talk } from "./talk.ts";

// Whole stacks beside whatever else the machine does: what never comes fails long before by its own wait.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

/** What the scripted model of one agent answers; `nth` counts that agent's requests from 1. */
export type Player = (call: ModelCall, nth: number) => Reply | Promise<Reply>;

export const providers = ["openai", "anthropic"] as const satisfies readonly Provider[];

const models = { openai: "openai/gpt-6.1-sol", anthropic: "anthropic/claude-sonnet-5-5" } as const;

/** A function of any name that takes an object with an optional number `n`. */
export const functionTool = (name: string) => ({
  type: "function",
  name,
  description: `The function ${name}.`,
  parameters: { type: "object", properties: { n: { type: "integer" } }, additionalProperties: false },
});

/** An agent whose model is played by the test. */
export type Actor = {
  readonly agentId: string;
  /** The requests that its model got, oldest first. */
  readonly asked: readonly ModelCall[];
  /** The same as they came over the wire. */
  requests(): RecordedRequest[];
  /** A new session of the agent. */
  talk(rest?: object): Promise<Talk>;
};

export type WorldOptions = {
  readonly env?: Readonly<Record<string, string>>;
  /** Keep state on disk, so that the stack can be killed and started again. */
  readonly kept?: boolean;
};

export type World = Awaited<ReturnType<typeof startWorld>>;

/** The stack in a process of its own, and in this one the model that it asks. */
export async function startWorld(options: WorldOptions = {}) {
  const data = options.kept === true ? await mkdtemp(join(tmpdir(), "stepyard-runs-")) : null;
  const players = new Map<string, (call: ModelCall) => Reply | Promise<Reply>>();
  const model = await startModelServer({
    keep: 10_000,
    respond: (call) => {
      const player = players.get(call.instructions);
      if (player === undefined) throw new Error(`nobody plays ${call.instructions}`);
      return player(call);
    },
  });
  const tidy = async () => {
    await model.close();
    if (data !== null) await rm(data, { recursive: true, force: true });
  };
  const start = () => startLaptop({ model, ...(data === null ? {} : { data }), env: options.env ?? {} });
  let laptop: Laptop = await start().catch(async (error: unknown) => {
    await tidy();
    throw error;
  });
  let api = backend(laptop.url);
  const keyIds = new Map<Provider, string>();

  const keyOf = async (provider: Provider): Promise<string> => {
    const known = keyIds.get(provider) ?? (await api.createKey(provider)).id;
    keyIds.set(provider, known);
    return known;
  };

  const actor = async (
    play: Player,
    {
      provider = "openai",
      tools = [],
      model: modelId = models[provider],
    }: { provider?: Provider; tools?: readonly (string | object)[]; model?: string } = {},
  ): Promise<Actor> => {
    const instructions = `You are number ${players.size + 1}.`;
    const asked: ModelCall[] = [];
    players.set(instructions, (call) => play(call, asked.push(call)));
    const agent = await api.createAgent({
      model: modelId,
      model_api_key_id: await keyOf(provider),
      instructions,
      tools: tools.map((tool) => (typeof tool === "string" ? functionTool(tool) : tool)),
    });
    return {
      agentId: agent.id,
      asked,
      requests: () => model.requests.filter(({ body }) => body.includes(`"${instructions}"`)),
      talk: async (rest = {}) => openTalk(() => api, (await api.createSession(agent.id, rest)).id),
    };
  };

  return {
    /** Where state is kept; null when it is in memory. */
    data,
    laptop: () => laptop,
    api: () => api,
    model: (): ModelServer => model,
    actor,
    /** Ends the stack, with SIGKILL unless asked otherwise. */
    down: async (how: "kill" | "stop" = "kill") => {
      const code = how === "stop" ? await laptop.stop() : await laptop.kill();
      return code ?? null;
    },
    /** Starts it again on the same data. */
    up: async () => {
      laptop = await start();
      api = backend(laptop.url);
    },
    close: async () => {
      await laptop.kill();
      await tidy();
    },
  };
}

/** Plays an agent that answers every input with one script, and then tells what the script gave. */
export const playScript =
  (source: string): Player =>
  ({ lastScriptOutputs }) =>
    lastScriptOutputs.length > 0
      ? { text: `It gave ${lastScriptOutputs.join(" and ")}` }
      : { scripts: [source] };
