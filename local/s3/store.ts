import { createHash, randomUUID } from "node:crypto";
import { openSync, renameSync } from "node:fs";
import { mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type KeyIndex, makeKeyIndex } from "./key-index.ts";
import { encodeMetadata, type ObjectMetadata, readMetadata } from "./object-file.ts";

/** A body on its way in. Nothing of it is visible until `commit`. */
export type Incoming = {
  write(chunk: Buffer): Promise<void>;
  /**
   * Makes the object durable and visible. `guard` sees what is stored at that instant and may throw; then nothing
   * changes. Of concurrent commits of a key every guard sees the outcome of the ones before.
   */
  commit(metadata: ObjectMetadata, guard: (stored: ObjectMetadata | undefined) => void): Promise<void>;
  /** Forgets the body; does nothing after a commit. */
  discard(): Promise<void>;
};

/** Objects of several buckets in one directory. Keys are never file names. */
export type Store = {
  /** The keys of a bucket, or undefined when there is no such bucket. */
  bucket(name: string): KeyIndex<ObjectMetadata> | undefined;
  receive(): Promise<Incoming>;
  /** Opens the body that belongs to the metadata found now; the caller closes the descriptor. */
  open(bucket: string, key: string): { readonly metadata: ObjectMetadata; readonly file: number } | undefined;
  /** Removes an object; does nothing when there is none. */
  remove(bucket: string, key: string): Promise<void>;
};

/** Opens a store, creating the directory, and reads what it holds. Throws when an object's file is damaged. */
export async function openStore(directory: string, buckets: readonly string[]): Promise<Store> {
  const objects = join(directory, "objects");
  const incoming = join(directory, "incoming");
  await mkdir(objects, { recursive: true });
  await rm(incoming, { recursive: true, force: true });
  await mkdir(incoming);
  const indexes = new Map(buckets.map((name) => [name, makeKeyIndex<ObjectMetadata>()]));
  for (const name of await readdir(objects)) {
    if (!/^[0-9a-f]{64}$/.test(name)) continue;
    const metadata = readMetadata(join(objects, name));
    indexes.get(metadata.bucket)?.set(metadata.key, metadata);
  }
  const pathOf = (bucket: string, key: string) => join(objects, fileName(bucket, key));

  return {
    bucket: (name) => indexes.get(name),
    open(bucket, key) {
      const metadata = indexes.get(bucket)?.get(key);
      // Synchronously, so that no write comes between the look-up and the descriptor.
      return metadata && { metadata, file: openSync(pathOf(bucket, key), "r") };
    },
    async remove(bucket, key) {
      const index = indexes.get(bucket);
      if (index?.get(key) === undefined) return;
      // Through a rename, so that a put of the same key that follows at once is not the file that goes.
      const doomed = join(incoming, randomUUID());
      renameSync(pathOf(bucket, key), doomed);
      index.remove(key);
      await syncDirectory(objects);
      await rm(doomed, { force: true });
    },
    receive: () =>
      receive(join(incoming, randomUUID()), async (temporary, metadata, guard) => {
        const index = indexes.get(metadata.bucket);
        // Guard, rename and index change happen in one turn of the event loop: that is the whole lock.
        guard(index?.get(metadata.key));
        renameSync(temporary, pathOf(metadata.bucket, metadata.key));
        index?.set(metadata.key, metadata);
        await syncDirectory(objects);
      }),
  };
}

type Publish = (
  temporary: string,
  metadata: ObjectMetadata,
  guard: (stored: ObjectMetadata | undefined) => void,
) => Promise<void>;

async function receive(temporary: string, publish: Publish): Promise<Incoming> {
  const handle = await open(temporary, "wx");
  let state: "open" | "closed" | "committed" = "open";
  const close = async () => {
    if (state !== "open") return;
    state = "closed";
    await handle.close();
  };
  return {
    write: (chunk) => handle.writeFile(chunk),
    async commit(metadata, guard) {
      await handle.writeFile(encodeMetadata(metadata));
      await handle.sync();
      await close();
      await publish(temporary, metadata, guard);
      state = "committed";
    },
    async discard() {
      await close();
      if (state !== "committed") await rm(temporary, { force: true });
    },
  };
}

function fileName(bucket: string, key: string): string {
  return createHash("sha256").update(bucket).update("\0").update(key).digest("hex");
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
