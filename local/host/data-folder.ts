import { mkdir, mkdtemp, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** State cannot be kept in a folder; the message is the system's. */
export class FolderError extends Error {
  override readonly name = "FolderError";
}

/** Makes sure of a folder that can be written to. Throws `FolderError`. */
export async function ensureFolder(path: string): Promise<void> {
  try {
    await make(path);
    // Permissions alone do not tell: a file system may be read-only, or none to write to.
    await rmdir(await mkdtemp(join(path, ".stepyard-")));
  } catch (cause) {
    throw new FolderError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Step by step: Node's own recursion tries without end where a parent is there and takes no folder, as in /proc. */
async function make(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (await isFolder(path)) return;
    if (!isMissing(error) || (await isFolder(dirname(path)))) throw error;
    await make(dirname(path));
    await mkdir(path);
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT";

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
