import type { ApiKey } from "../../contract/schemas/api-keys.ts";
import type { StoredApiKey } from "../ports/api-keys.ts";
import { decodeCursor, positions } from "./cursor.ts";
import { notFound } from "./error.ts";
import { mint } from "./ids.ts";
import type { Operation } from "./operation.ts";
import { pageOf } from "./page.ts";

/** post_api_keys: the answer is the only place where the secret is ever shown. */
export const createApiKey: Operation<"post_api_keys"> = async (ports, { projectId, body }) => {
  const { id, at } = mint(ports, "key");
  const { secret, prefix } = ports.apiKeys.newSecret();
  const key: StoredApiKey = { id, name: body.name, prefix, createdAt: at };
  await ports.apiKeys.create(projectId, key, secret);
  return { status: 201, body: { ...present(key), secret } };
};

/** get_api_keys */
export const listApiKeys: Operation<"get_api_keys"> = async (ports, { projectId, query }) => {
  const scope = { operation: "get_api_keys" };
  const before = decodeCursor(scope, query.cursor, positions.id);
  const found = await ports.apiKeys.list(projectId, before, query.limit);
  const view = {
    place: ({ id }: StoredApiKey) => id,
    present: (items: readonly StoredApiKey[]) => items.map(present),
  };
  return { status: 200, body: await pageOf(scope, found, view) };
};

/** delete_api_keys_api_key_id: requests that come later with the key are refused. */
export const deleteApiKey: Operation<"delete_api_keys_api_key_id"> = async (ports, { projectId, params }) => {
  const revoked = await ports.apiKeys.revoke(projectId, params.api_key_id);
  if (!revoked) throw notFound("API key");
  return { status: 204 };
};

function present({ id, name, prefix, createdAt }: StoredApiKey): ApiKey {
  return { id, name, prefix, created_at: createdAt };
}
