import type { Json } from "../../contract/json.ts";
import type { Payload } from "../session/payload.ts";

/** A body to write before the commit that refers to it. Keys name content, so writing twice is harmless. */
export type Upload = { readonly key: string; readonly body: string };

export type Stowed = { readonly payload: Payload; readonly upload: Upload | null };

/** Bodies too large for an item. */
export type Blobs = {
  /** Decides where a value goes, without writing anything. Values above `limit` bytes (default 8 KiB) become a reference. */
  stow(sessionId: string, value: Json, limit?: number): Stowed;
  /** The value of a payload; reads S3 for a reference. Throws when the object is gone. */
  fetch(payload: Payload): Promise<Json>;
  put(upload: Upload): Promise<void>;
  /** The body under a key that `put` wrote. */
  get(key: string): Promise<string>;
  /** Removes objects under a prefix, at most about `most`. True when none is left. */
  removeAll(prefix: string, most: number): Promise<boolean>;
};
