import type { Page } from "./store.ts";

export type StoredApiKey = {
  readonly id: string;
  readonly name: string;
  /** The harmless beginning of the secret. */
  readonly prefix: string;
  readonly createdAt: string;
};

export type NewSecret = { readonly secret: string; readonly prefix: string };

/** A project's API keys. No secret is stored; `before` is an id, and lists are newest first. */
export type ApiKeys = {
  /** A secret that cannot be guessed: 256 random bits behind the prefix. */
  newSecret(): NewSecret;
  /** Writes the key, which works from then on. */
  create(projectId: string, key: StoredApiKey, secret: string): Promise<void>;
  list(projectId: string, before: string | null, limit: number): Promise<Page<StoredApiKey>>;
  /** Takes the key from the list and out of use, both or neither; false when the project has none by the id. */
  revoke(projectId: string, id: string): Promise<boolean>;
};
