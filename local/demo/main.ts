import { Command } from "commander";
import { startStack } from "../host/stack.ts";
import { createClient } from "./client.ts";
import { startCustomerApp } from "./customer-app.ts";
import { createPrinter } from "./printer.ts";

const program = new Command("stepyard-demo")
  .description(
    "Starts Stepyard in memory and plays the quick start: a question, then one that calls a function of a small application. " +
      "Uses the offline model, or the real one when OPENAI_API_KEY or ANTHROPIC_API_KEY is set.",
  )
  .option("--json", "print every event as one JSON object a line", false)
  .showHelpAfterError("Add --help to see what it takes.");

const PROMPTS = ["Hello! What can you help me with?", "Please get customer customer_123 for me."];
/** The whole demo takes seconds; a real model may take a minute for each turn. */
const TIME_LIMIT_MS = 180_000;

type Provider = {
  readonly provider: "openai" | "anthropic";
  readonly model: string;
  readonly key: string | undefined;
};

function chooseProvider(): Provider {
  const anthropic = process.env["ANTHROPIC_API_KEY"];
  if (anthropic !== undefined && anthropic !== "") {
    return { provider: "anthropic", model: "anthropic/claude-sonnet-5-5", key: anthropic };
  }
  return { provider: "openai", model: "openai/gpt-6.1-sol", key: process.env["OPENAI_API_KEY"] || undefined };
}

async function main(): Promise<void> {
  const { json } = program.parse().opts<{ json: boolean }>();
  const print = createPrinter(json);
  const { provider, model, key } = chooseProvider();
  print.note(
    key === undefined ? "Starting Stepyard with the offline model …" : `Starting Stepyard with ${model} …`,
  );
  const stack = await startStack({
    host: "127.0.0.1",
    port: 0,
    data: null,
    model: key === undefined ? "offline" : "providers",
  });
  try {
    const client = createClient(stack.url, "dev-key", AbortSignal.timeout(TIME_LIMIT_MS));
    await play(client, print, { provider, model, key: key ?? "sk-offline-model" });
  } finally {
    await stack.close();
  }
}

async function play(
  client: ReturnType<typeof createClient>,
  print: ReturnType<typeof createPrinter>,
  { provider, model, key }: Required<Provider> & { key: string },
): Promise<void> {
  const app = startCustomerApp(client, print);
  const modelKey = await client.post("/model-api-keys", { name: "Demo", provider, key });
  const config = {
    model,
    model_api_key_id: modelKey.id,
    instructions: "Answer the user's questions. Use get_customer to look up customers.",
    tools: [app.tool],
  };
  const agent = await client.post("/agents", { name: "Demo assistant", config });
  const session = await client.post("/sessions", {
    agent: { id: agent.id },
    subject_id: "demo/ada",
    environment: { type: "none" },
  });
  print.note(`Session ${session.id}`);
  const events = await client.stream(session.id);
  for (const text of PROMPTS) {
    const input = await client.post(`/sessions/${session.id}/inputs`, {
      mode: "queue",
      content: [{ type: "text", text }],
    });
    for await (const event of events) {
      print.event(event);
      if (event.type === "tool.requested") await app.execute(session.id, event.data.call);
      if (event.type === "run.failed") throw new Error(`the run failed: ${event.data.run.error?.message}`);
      if (event.type === "run.completed" && event.data.run.initial_input_id === input.id) break;
    }
  }
  await events.close();
  print.note("Both runs completed.");
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(`The demo failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
