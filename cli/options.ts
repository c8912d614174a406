import { type Command, InvalidArgumentError, Option } from "commander";
import { laptop } from "../contract/laptop.ts";

/** Where a command goes and how it prints. */
export type Options = {
  readonly local: boolean;
  readonly port: number;
  readonly url?: string;
  readonly stack: string;
  readonly region?: string;
  readonly profile?: string;
  readonly json: boolean;
};

const ofAws = ["url", "stack", "region", "profile"];

/** The options that every command has. `defaultStack` is the stack's name where none is given. */
export function addOptions(command: Command, defaultStack: string): Command {
  return command
    .option("--stack <name>", "the CloudFormation stack, whose OperatorUrl is asked", defaultStack)
    .addOption(new Option("--url <url>", "that OperatorUrl itself").argParser(operatorUrl).conflicts("stack"))
    .option("--region <region>", "of the stack; else AWS_REGION, AWS_DEFAULT_REGION or the profile's")
    .option("--profile <name>", "of the AWS configuration files; else AWS_PROFILE")
    .addOption(
      new Option("--local", "the stack of `npm start` on this machine").conflicts(ofAws).default(false),
    )
    .addOption(
      new Option("--port <port>", "its port; implies --local")
        .argParser(port)
        .default(laptop.port)
        .implies({ local: true })
        .conflicts(ofAws),
    )
    .option("--json", "print one JSON document on standard output", false);
}

/** Signed requests are for the stack's operators' root. In clear only on this machine: an answer may hold a secret. */
function operatorUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const rooted = url !== null && /\/aws\/v1\/?$/.test(url.pathname) && url.search === "" && url.hash === "";
  const safe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (rooted && safe && url.username === "") return url.href.replace(/\/$/, "");
  throw new InvalidArgumentError(
    "Give the stack's output OperatorUrl: it begins with https:// and ends in /aws/v1.",
  );
}

const isLoopback = (host: string): boolean =>
  host === "127.0.0.1" || host === "[::1]" || host === "localhost" || host.endsWith(".localhost");

function port(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= 65_535) return value;
  throw new InvalidArgumentError("Give a whole number from 1 to 65535.");
}
