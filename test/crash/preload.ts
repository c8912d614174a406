/**
 * Loaded into the stack's process before anything else: counts what goes out of it to DynamoDB, S3, Step Functions
 * and the model, and ends the process there as a power cut does. Reads are passed over.
 */
import { appendFileSync } from "node:fs";
import http, { type ClientRequest } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { isMainThread } from "node:worker_threads";
import * as z from "zod";
import { type Plan, planVariable, type When } from "./points.ts";

const Point = z.strictObject({
  call: z.string(),
  nth: z.int().positive(),
  when: z.enum(["before", "after"]),
});
const PlanShape = z.union([
  z.strictObject({ record: z.string() }),
  z.strictObject({ kill: Point }),
]) satisfies z.ZodType<Plan>;

const powerCut = () => process.kill(process.pid, "SIGKILL");

/** Counts calls; says when the process is to end at this one. */
function follow(plan: Plan): (call: string) => When | null {
  const counts = new Map<string, number>();
  return (call) => {
    if ("record" in plan) {
      appendFileSync(plan.record, `${call}\n`);
      return null;
    }
    const nth = (counts.get(call) ?? 0) + 1;
    counts.set(call, nth);
    return plan.kill.call === call && plan.kill.nth === nth ? plan.kill.when : null;
  };
}

const Options = z.object({
  port: z.coerce.string(),
  method: z.string(),
  path: z.string(),
  headers: z.record(z.string(), z.unknown()),
});

const writes =
  /\.(?:PutItem|UpdateItem|DeleteItem|TransactWriteItems|BatchWriteItem|StartExecution|SendTaskSuccess)$/;
const services = { DYNAMODB: "DynamoDB", S3: "S3", SFN: "States" } as const;

/** The name of a request of an SDK client, or null: a read, or not to a service. */
function nameOf(given: unknown): string | null {
  const options = Options.safeParse(given).data;
  if (options === undefined) return null;
  const service = Object.entries(services).find(
    ([key]) => new URL(process.env[`AWS_ENDPOINT_URL_${key}`] ?? "http://none").port === options.port,
  )?.[1];
  if (service === undefined) return null;
  if (service === "S3") return options.method === "GET" ? null : `S3 ${options.method}`;
  const target = String(options.headers["x-amz-target"] ?? options.headers["X-Amz-Target"] ?? "");
  return writes.test(target) ? `${service} ${target.split(".")[1]}` : null;
}

function install(plan: Plan): void {
  const at = follow(plan);
  const send = http.request;
  http.request = ((...args: Parameters<typeof send>): ClientRequest => {
    const name = nameOf(args[0]);
    const when = name === null ? null : at(name);
    if (when === "before") powerCut();
    const sent = send(...args);
    if (when === "after") sent.prependOnceListener("response", powerCut);
    return sent;
  }) as typeof send;
  syncBuiltinESMExports();
  const ask = globalThis.fetch;
  globalThis.fetch = async (...args) => {
    const [input] = args;
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const when = /\/(?:responses|messages)$/.test(pathname) ? at("model request") : null;
    if (when === "before") powerCut();
    const answer = await ask(...args);
    if (when === "after") powerCut();
    return answer;
  };
}

const given = process.env[planVariable];
if (isMainThread && given !== undefined) install(PlanShape.parse(JSON.parse(given)));
