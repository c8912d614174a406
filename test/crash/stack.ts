import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ModelCall } from "../../local/model/reply.ts";
import { type ModelServer, startModelServer } from "../../local/model/server.ts";
import { backend } from "../support/api.ts";
import { type Laptop, startLaptop } from "../support/laptop.ts";
import { playWork, workTool } from "../support/work-agent.ts";
import { type Plan, type Plans, planVariable } from "./points.ts";

export type Provider = "openai" | "anthropic";
const models = { openai: "openai/gpt-6.1-sol", anthropic: "anthropic/claude-sonnet-5-5" } as const;

/** The model, and a folder with what every scenario begins with: a key and an agent of each provider. */
export async function prepare() {
  const place = await mkdtemp(join(tmpdir(), "stepyard-crash-"));
  const asked: ModelCall[] = [];
  const model = await startModelServer({
    keep: 1,
    respond: (call) => {
      asked.push(call);
      return playWork(call);
    },
  });
  const template = join(place, "template");
  const laptop = await start(model, template);
  const agents = {
    openai: await createAgent(laptop, "openai"),
    anthropic: await createAgent(laptop, "anthropic"),
  };
  await laptop.stop();
  return {
    asked,
    agents,
    /** A stack on data of its own, to which happens what the plans say. */
    open: async (name: string, { first, again }: Plans) => {
      const data = join(place, name);
      await cp(template, data, { recursive: true });
      return {
        start: (isAgain: boolean) => start(model, data, isAgain ? again : first),
        remove: () => rm(data, { recursive: true }),
      };
    },
    recordFile: (name: string) => join(place, `${name}.calls`),
    close: async () => {
      await model.close();
      await rm(place, { recursive: true, force: true });
    },
  };
}
export type Prepared = Awaited<ReturnType<typeof prepare>>;

async function createAgent({ url }: Laptop, provider: Provider): Promise<string> {
  const api = backend(url);
  const key = await api.createKey(provider);
  const config = {
    model: models[provider],
    model_api_key_id: key.id,
    instructions: "Work.",
    tools: [workTool],
  };
  return (await api.createAgent(config)).id;
}

function start(model: ModelServer, data: string, plan: Plan | null = null): Promise<Laptop> {
  const preload = fileURLToPath(new URL("./preload.ts", import.meta.url));
  const planned = { NODE_OPTIONS: `--import=${preload}`, [planVariable]: JSON.stringify(plan) };
  return startLaptop({ model, data, env: plan === null ? {} : planned });
}

export const readRecord = async (file: string): Promise<string[]> =>
  (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
