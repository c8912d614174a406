import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import type { FunctionName } from "../../contract/env.ts";
import { bundleFunction } from "../../lib/bundle.ts";
import { synthesize } from "../../lib/synthesize.ts";
import { lambdaOf, readable } from "./readable.ts";

/** Outside of the project, so that a bundle which leaves something out cannot find it in node_modules. */
const scratch = mkdtempSync(join(tmpdir(), "stepyard-bundles-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const bundleOf = (name: FunctionName): string => {
  const folder = join(scratch, name);
  if (!existsSync(folder)) bundleFunction(name, folder);
  return folder;
};

/** Every AWS service at once: it refuses what it is asked, and remembers what that was. */
const asked: string[] = [];
let aws: Server;
beforeAll(async () => {
  aws = createServer((request, response) => {
    asked.push(String(request.headers["x-amz-target"]));
    request.resume().on("end", () => {
      response.writeHead(400, { "content-type": "application/x-amz-json-1.0" });
      response.end(
        JSON.stringify({ __type: "ResourceNotFoundException", message: "There is no such table." }),
      );
    });
  });
  await new Promise<void>((resolve) => aws.listen(0, "127.0.0.1", resolve));
});
afterAll(() => aws.close());

/** Loads the bundle as Lambda's runtime does, hands it one event, and prints what came of it. */
const host = `
import { PassThrough } from "node:stream";
let head;
globalThis.awslambda = {
  streamifyResponse: (handler) => async (event, context) => {
    const body = new PassThrough();
    const text = body.reduce((all, chunk) => all + chunk, "");
    await handler(event, body, context);
    body.end();
    return { ...head, body: await text };
  },
  HttpResponseStream: { from: (stream, metadata) => ((head = metadata), stream) },
};
const { handler } = await import(process.argv[2]);
const context = { getRemainingTimeInMillis: () => 60_000 };
const outcome = await handler(JSON.parse(process.argv[3]), context)
  .then((value) => ({ value: value ?? null }), (error) => ({ error: error.name }));
process.stdout.write("OUTCOME" + JSON.stringify(outcome));
process.exit();
`;

const outcomeSchema = z.object({ value: z.unknown().optional(), error: z.string().optional() });

const variablesOf = async (name: FunctionName): Promise<Record<string, string>> => {
  const properties = readable(lambdaOf(await synthesize(), name).resource.Properties);
  return z
    .object({ Environment: z.object({ Variables: z.record(z.string(), z.string()) }) })
    .parse(properties).Environment.Variables;
};

/** Runs a script in a bare Node with the variables that the template gives the function. */
const runBare = async (name: FunctionName, script: string, ...args: readonly string[]): Promise<string> => {
  const { port } = aws.address() as AddressInfo;
  const file = join(scratch, `host-${name}.mjs`);
  writeFileSync(file, script);
  const child = spawn(process.execPath, [file, ...args], {
    cwd: scratch,
    env: {
      ...(await variablesOf(name)),
      AWS_REGION: "eu-west-1",
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err] = await Promise.all(
    [child.stdout, child.stderr].map((stream) =>
      stream.setEncoding("utf8").reduce((all, chunk: string) => all + chunk, ""),
    ),
  );
  if (!out?.includes("OUTCOME")) throw new Error(`The bundle of ${name} did not get far: ${out}${err}`);
  return out.split("OUTCOME")[1] ?? "";
};

const invoke = async (name: FunctionName, event: unknown) => {
  asked.length = 0;
  const output = await runBare(name, host, join(bundleOf(name), "index.mjs"), JSON.stringify(event));
  return outcomeSchema.parse(JSON.parse(output));
};

const request = (path: string) => ({
  httpMethod: "GET",
  path,
  headers: { host: "api.example" },
  multiValueQueryStringParameters: null,
  body: null,
  isBase64Encoded: false,
  requestContext: { requestId: "req-1", path: `/api${path}`, identity: { userArn: null } },
});
const run = { sessionId: "ses_1", runId: "run_10000000002", leg: 1 };

const refusal = z.object({ statusCode: z.literal(401), body: z.string() });

describe("bundles", { timeout: 120_000 }, () => {
  it.each([
    ["api", "/v1/sessions"],
    ["stream", "/v1/sessions/ses_1/events/stream"],
  ] as const)(
    "%s answers a request without a key in the envelope, without asking AWS",
    async (name, path) => {
      const { value } = await invoke(name, request(path));
      expect(JSON.parse(refusal.parse(value).body)).toMatchObject({
        error: { code: "unauthorized", request_id: "req-1" },
      });
      expect(asked).toEqual([]);
    },
  );

  it.each([
    ["advance", { ...run, cycle: 0, stateMachineArn: "arn:machine", executionName: "run_1" }],
    ["await", { ...run, seen: 1, token: "token" }],
    ["lost", { ...run, error: { Error: "Runtime.ExitError", Cause: "killed" } }],
  ] as const)("%s reads the session and fails with the table's error", async (name, event) => {
    expect(await invoke(name, event)).toEqual({ error: "ResourceNotFoundException" });
    expect(asked).toContain("DynamoDB_20120810.GetItem");
  });

  it("fanout reports the record whose session it could not read", async () => {
    const Keys = { pk: { S: "SES#ses_1" }, sk: { S: "HEAD" } };
    const event = { Records: [{ eventName: "MODIFY", dynamodb: { Keys, SequenceNumber: "7" } }] };
    expect(await invoke("fanout", event)).toEqual({
      value: { batchItemFailures: [{ itemIdentifier: "7" }] },
    });
    expect(asked).toContain("DynamoDB_20120810.GetItem");
  });

  it("sweep asks the index what is due", async () => {
    expect(await invoke("sweep", { source: "aws.events" })).toEqual({ error: "ResourceNotFoundException" });
    expect(asked).toContain("DynamoDB_20120810.Query");
  });

  it("advance brings its script worker, which gets ready beside it", async () => {
    const script = `
      import { Worker } from "node:worker_threads";
      const worker = new Worker(process.argv[2]);
      worker.once("message", (message) => {
        process.stdout.write("OUTCOME" + JSON.stringify(message));
        worker.terminate();
      });
    `;
    const output = await runBare("advance", script, join(bundleOf("advance"), "script-worker.mjs"));
    expect(JSON.parse(output)).toEqual({ type: "ready" });
  });

  it.each(["api", "advance"] as const)(
    "%s brings its schema worker, which checks beside it",
    async (name) => {
      const script = `
      import { fork } from "node:child_process";
      const worker = fork(process.argv[2], ["2000"], { serialization: "advanced", env: {} });
      worker.on("message", (message) => {
        if (message.type === "ready") return worker.send([{ schema: '{"type":"string"}', value: "1" }]);
        process.stdout.write("OUTCOME" + JSON.stringify(message.problem));
        worker.kill();
      });
    `;
      const output = await runBare(name, script, join(bundleOf(name), "schema-worker.mjs"));
      expect(JSON.parse(output)).toEqual({ index: 0, problem: "the arguments must be string" });
    },
  );

  it("advance loads a model's SDK only when it calls that model", () => {
    const folder = bundleOf("advance");
    const isSdk = (file: string) => readFileSync(join(folder, file), "utf8").includes("X-Stainless-Lang");
    expect(readdirSync(folder).filter((file) => file.endsWith(".mjs") && isSdk(file))).toHaveLength(2);
    expect([...loadedWith(folder, "index.mjs")].filter(isSdk)).toEqual([]);
  });

  it("are the same wherever they are written", () => {
    const other = join(scratch, "deeper/down/await");
    bundleFunction("await", other);
    const contents = (folder: string) =>
      readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")]);
    expect(contents(other)).toEqual(contents(bundleOf("await")));
  });
});

/** Files of a bundle that Node reads before the first line of a file runs: what it imports statically. */
const loadedWith = (folder: string, file: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(join(folder, file), "utf8");
  for (const [, chunk] of text.matchAll(/(?:from|import)"\.\/(chunk-\w+\.mjs)"/g))
    if (chunk !== undefined) loadedWith(folder, chunk, seen);
  return seen;
};
