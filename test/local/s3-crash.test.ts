import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, stat } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import { expect, test, vi } from "vitest";
import { BUCKET, clientFor, onCleanup, SECRET, startFixture, temporaryDirectory } from "./s3-harness.ts";

vi.setConfig({ testTimeout: 20_000 });

const Bucket = BUCKET;
const PATIENCE = { timeout: 10_000 };
const SERVER = new URL("../../local/s3/server.ts", import.meta.url).href;

/** An endpoint in a process of its own. */
async function startChild(directory: string): Promise<{ child: ChildProcess; url: string }> {
  const options = JSON.stringify({ directory, buckets: [BUCKET], secretAccessKey: SECRET });
  const script = `import { startS3 } from ${JSON.stringify(SERVER)};
    console.log((await startS3(${options})).url);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onCleanup(() => kill(child));
  for await (const line of createInterface({ input: child.stdout })) return { child, url: line };
  throw new Error("The endpoint ended before it said where it listens");
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

test("a kill -9 in mid-put leaves the old object and nothing of the new one", async () => {
  const directory = await temporaryDirectory();
  const { child, url } = await startChild(directory);
  await clientFor(url).send(new PutObjectCommand({ Bucket, Key: "k", Body: "old" }));
  const put = request(`${url}/${BUCKET}/k`, { method: "PUT", headers: { "content-length": "1000000" } });
  const failed = once(put, "error");
  put.write(Buffer.alloc(500_000));
  const incoming = join(directory, "incoming");
  const received = async () => {
    const [name] = await readdir(incoming);
    return name === undefined ? 0 : (await stat(join(incoming, name))).size;
  };
  await expect.poll(received, PATIENCE).toBeGreaterThan(100_000);
  await kill(child);
  await failed;
  const { client } = await startFixture(directory);
  const got = await client.send(new GetObjectCommand({ Bucket, Key: "k" }));
  expect(await got.Body?.transformToString()).toBe("old");
  expect((await client.send(new ListObjectsV2Command({ Bucket }))).KeyCount).toBe(1);
  expect(await readdir(incoming)).toEqual([]);
});

test("a kill -9 among many puts loses none that was acknowledged and leaves none in part", async () => {
  const directory = await temporaryDirectory();
  const { child, url } = await startChild(directory);
  const client = clientFor(url);
  const acknowledged = new Map<string, number>();
  const writer = async (lane: number) => {
    for (let round = 0; ; round++) {
      const Key = `${lane}/${round % 5}`;
      const put = new PutObjectCommand({ Bucket, Key, Body: `${round}:`.repeat(2000) });
      await client.send(put);
      acknowledged.set(Key, round);
    }
  };
  const writers = Promise.allSettled([0, 1, 2, 3].map(writer));
  await expect.poll(() => acknowledged.size, PATIENCE).toBe(20);
  await kill(child);
  await writers;
  const again = await startFixture(directory);
  for (const [Key, atLeast] of acknowledged) {
    const got = await again.client.send(new GetObjectCommand({ Bucket, Key, ChecksumMode: "ENABLED" }));
    const text = (await got.Body?.transformToString()) ?? "";
    const round = Number.parseInt(text, 10);
    expect(round).toBeGreaterThanOrEqual(atLeast);
    expect(text).toBe(`${round}:`.repeat(2000));
  }
});
