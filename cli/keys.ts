import { readFileSync } from "node:fs";
import { type Command, InvalidArgumentError } from "commander";
import * as z from "zod";
import { pageLimit } from "../contract/parameters.ts";
import { type ApiKey, ApiKeyList, CreateApiKey, CreatedApiKey } from "../contract/schemas/api-keys.ts";
import { ApiKeyId } from "../contract/schemas/common.ts";
import { nothing, send } from "./api.ts";
import { addOptions, type Options } from "./options.ts";
import { createdText, listText } from "./print.ts";
import { type Target, targetOf } from "./target.ts";

const Configuration = z.object({ context: z.object({ name: z.string() }) });

/** `keys create`, `keys list` and `keys delete`. */
export function addKeyCommands(keys: Command): void {
  const stack = defaultStack();
  keys.addHelpText(
    "after",
    examples("create --name backend", "list", "delete key_01KBD2Z8X1V0M3Q4R5S6T7V8W9"),
  );
  addOptions(keys.command("create"), stack)
    .description("create a key and print its secret, once")
    .requiredOption("--name <name>", "what the key is for; up to 100 characters", name)
    .addHelpText(
      "after",
      examples(
        "create --name backend",
        "create --name backend --stack agents --region eu-west-1 --profile operators",
        "create --name test --local",
      ).concat("\n  STEPYARD_KEY=$(npx stepyard keys create --name backend)"),
    )
    .action(create);
  addOptions(keys.command("list"), stack)
    .description("list the project's keys, newest first")
    .addHelpText("after", examples("list", "list --json", "list --local --port 8787"))
    .action(list);
  addOptions(keys.command("delete"), stack)
    .description("delete a key; requests with it are refused from then on")
    .argument("<id>", "the key's id, as `keys list` shows it", keyId)
    .addHelpText("after", examples("delete key_01KBD2Z8X1V0M3Q4R5S6T7V8W9"))
    .action(remove);
}

async function create({ name, ...options }: Options & { name: string }): Promise<void> {
  const target = await targetOf(options);
  const key = await send(target, { method: "POST", path: "/api-keys", body: { name } }, CreatedApiKey);
  // The secret alone on standard output, so that a shell can catch it.
  console.log(options.json ? JSON.stringify(key) : key.secret);
  console.error(createdText(key, target.baseUrl));
}

async function list(options: Options): Promise<void> {
  const keys = await allKeys(await targetOf(options));
  if (options.json) return console.log(JSON.stringify(keys));
  if (keys.length > 0) return console.log(listText(keys));
  console.error("There are no keys. Create one: npx stepyard keys create --name backend");
}

async function remove(id: string, options: Options): Promise<void> {
  const notFound = `There is no key ${id} in this project. See them with: npx stepyard keys list`;
  await send(await targetOf(options), { method: "DELETE", path: `/api-keys/${id}`, notFound }, nothing);
  if (options.json) console.log(JSON.stringify({ id, deleted: true }));
  console.error(`Deleted ${id}. Requests with it are refused from now on.`);
}

async function allKeys(target: Target): Promise<ApiKey[]> {
  const keys: ApiKey[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const at: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `/api-keys?limit=${pageLimit.max}${at}`;
    const page: ApiKeyList = await send(target, { method: "GET", path }, ApiKeyList);
    keys.push(...page.data);
    cursor = page.next_cursor;
  }
  return keys;
}

/** The name that `cdk deploy` gives the stack, unless it is told another. */
function defaultStack(): string {
  const text = readFileSync(new URL("../cdk.json", import.meta.url), "utf8");
  return Configuration.parse(JSON.parse(text)).context.name;
}

function name(text: string): string {
  if (CreateApiKey.safeParse({ name: text }).success) return text;
  throw new InvalidArgumentError("Give 1 to 100 characters, not all of them blank.");
}

function keyId(text: string): string {
  if (ApiKeyId.safeParse(text).success) return text;
  throw new InvalidArgumentError("An id is key_ and letters or digits; npx stepyard keys list shows them.");
}

const examples = (...commands: readonly string[]): string =>
  `\nExamples:\n${commands.map((command) => `  npx stepyard keys ${command}`).join("\n")}`;
