import { resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { laptop } from "../contract/laptop.ts";
import { FolderError } from "./host/data-folder.ts";
import { devKeys, startStack } from "./host/stack.ts";

const program = new Command("stepyard-local")
  .description("Runs the whole of Stepyard on this machine.")
  .option("--port <port>", "port of the API on 127.0.0.1; 0 takes a free one", port, laptop.port)
  .option("--data <dir>", "where state is kept", ".stepyard")
  .option("--memory", "keep nothing on disk", false)
  .option("--offline-model", "answer model requests here, with no key and no network", false)
  .option("--json", "print the ready line as one JSON object", false)
  .showHelpAfterError("Add --help to see what it takes.")
  .addHelpText("after", "\nExample:\n  npm start -- --offline-model --memory");

function port(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= 65_535) return value;
  throw new InvalidArgumentError("Give a whole number from 0 to 65535.");
}

type Options = { port: number; data: string; memory: boolean; offlineModel: boolean; json: boolean };

async function main(): Promise<void> {
  const options = program.parse().opts<Options>();
  const data = options.memory ? null : resolve(options.data);
  const model = options.offlineModel ? "offline" : "providers";
  const stack = await startStack({ host: "127.0.0.1", port: options.port, data, model });
  let closing = false;
  const stop = () => {
    if (closing) process.exit(1);
    closing = true;
    stack.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  console.log(ready(options, stack));
}

function ready(options: Options, stack: Awaited<ReturnType<typeof startStack>>): string {
  if (options.json) return JSON.stringify({ url: stack.url, pid: process.pid, endpoints: stack.endpoints });
  const keys = Object.keys(devKeys).join(" and ");
  const kept = options.memory ? "in memory" : `in ${options.data}`;
  return `Stepyard is ready on ${stack.url} (keys ${keys}, dashboard session ${laptop.dashboard}, state ${kept}). Ctrl-C ends it.`;
}

const otherPort = ". Choose another port with --port, or end what listens there.";
const otherFolder = ". Choose another folder with --data, or --memory.";
const ofFolders: readonly unknown[] = ["EEXIST", "ENOTDIR", "EACCES", "EROFS"];

function hintOf(error: unknown): string {
  if (error instanceof FolderError) return otherFolder;
  if (!(error instanceof Error && "code" in error)) return "";
  if ("syscall" in error && error.syscall === "listen") return otherPort;
  return ofFolders.includes(error.code) ? otherFolder : "";
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  console.error(`Stepyard could not start: ${message}${hintOf(error)}`);
  process.exit(1);
});
