import { createHash } from "node:crypto";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { canonicalJson } from "../../contract/canonical.ts";
import type { Json } from "../../contract/json.ts";
import { blobKey } from "../../contract/table.ts";
import type { Blobs, Stowed } from "../../core/ports/blobs.ts";
import { INLINE_BYTES } from "../../core/session/payload.ts";
import { createRecent } from "../system/recent.ts";

/** Bodies are named by their content. An agent's configuration is the one that is read again and again. */
const REMEMBERED_BODIES = 64;
const REMEMBERED_BYTES = 131_072;
/** As many connections as the client opens. */
const REMOVED_AT_ONCE = 50;

/** Bodies in S3. Keys of bodies end in the hash of their canonical JSON. */
export function createBlobs(options: { readonly client: S3Client; readonly bucket: string }): Blobs {
  const { client, bucket: Bucket } = options;
  const bodies = createRecent<string>(REMEMBERED_BODIES);
  const get = async (Key: string): Promise<string> => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
    if (Body === undefined) throw new Error(`${Key} has no body`);
    return Body.transformToString("utf-8");
  };
  return {
    stow: (sessionId, value, limit = INLINE_BYTES) =>
      stow(value, limit, (sha256) => blobKey.body(sessionId, sha256)),
    fetch: async (payload) => {
      if ("inline" in payload) return payload.inline;
      const { blob, bytes } = payload;
      const body = bytes > REMEMBERED_BYTES ? await get(blob) : await bodies.get(blob, () => get(blob));
      return JSON.parse(body ?? "null") as Json;
    },
    put: async ({ key: Key, body }) => {
      await client.send(new PutObjectCommand({ Bucket, Key, Body: body, ContentType: "application/json" }));
    },
    get,
    removeAll: async (Prefix, most) => {
      for (let left = most; ; left -= REMOVED_AT_ONCE) {
        const list = new ListObjectsV2Command({ Bucket, Prefix, MaxKeys: REMOVED_AT_ONCE });
        const { Contents: objects = [] } = await client.send(list);
        if (objects.length === 0) return true;
        if (left <= 0) return false;
        await Promise.all(objects.map(({ Key }) => client.send(new DeleteObjectCommand({ Bucket, Key }))));
      }
    },
  };
}

/** Small values stay in place; larger ones go under a key made of their hash. */
export function stow(value: Json, limit: number, keyOf: (sha256: string) => string): Stowed {
  const body = canonicalJson(value);
  const bytes = Buffer.byteLength(body);
  if (bytes <= limit) return { payload: { inline: value }, upload: null };
  const key = keyOf(createHash("sha256").update(body).digest("hex"));
  return { payload: { blob: key, bytes }, upload: { key, body } };
}
