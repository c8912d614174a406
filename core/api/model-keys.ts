import type { ModelApiKey } from "../../contract/schemas/model-keys.ts";
import type { StoredModelKey } from "../ports/catalog.ts";
import { decodeCursor, positions } from "./cursor.ts";
import { notFound } from "./error.ts";
import { mint } from "./ids.ts";
import type { Operation } from "./operation.ts";
import { pageOf } from "./page.ts";

const SHOWN = 4;

/** What binds a sealed key to its place: it opens nowhere else. */
export const keyContext = (projectId: string, keyId: string) => ({ project: projectId, key: keyId });

/** post_model_api_keys: seals the key; nothing but its first and last four characters is ever shown again. */
export const createModelKey: Operation<"post_model_api_keys"> = async (ports, { projectId, body }, keep) => {
  const { id, at } = mint(ports, "mkey");
  const key: StoredModelKey = {
    id,
    name: body.name,
    provider: body.provider,
    prefix: body.key.slice(0, SHOWN),
    suffix: body.key.slice(-SHOWN),
    sealed: await ports.vault.seal(body.key, keyContext(projectId, id)),
    createdAt: at,
  };
  const answer = { status: 201, body: present(key) };
  await ports.catalog.putModelKey(projectId, key, keep(answer));
  return answer;
};

/** get_model_api_keys */
export const listModelKeys: Operation<"get_model_api_keys"> = async (ports, { projectId, query }) => {
  const scope = { operation: "get_model_api_keys" };
  const before = decodeCursor(scope, query.cursor, positions.id);
  const found = await ports.catalog.listModelKeys(projectId, before, query.limit);
  const view = {
    place: ({ id }: StoredModelKey) => id,
    present: (items: readonly StoredModelKey[]) => items.map(present),
  };
  return { status: 200, body: await pageOf(scope, found, view) };
};

/** get_model_api_keys_model_api_key_id */
export const getModelKey: Operation<"get_model_api_keys_model_api_key_id"> = async (ports, request) => {
  const key = await ports.catalog.modelKey(request.projectId, request.params.model_api_key_id);
  if (key === null) throw notFound("model API key");
  return { status: 200, body: present(key) };
};

/** delete_model_api_keys_model_api_key_id: runs that select it fail from now on; it is not revoked at its provider. */
export const deleteModelKey: Operation<"delete_model_api_keys_model_api_key_id"> = async (ports, request) => {
  const deleted = await ports.catalog.deleteModelKey(request.projectId, request.params.model_api_key_id);
  if (!deleted) throw notFound("model API key");
  return { status: 204 };
};

function present(key: StoredModelKey): ModelApiKey {
  const { id, name, provider, prefix, suffix, createdAt } = key;
  return { id, name, provider, prefix, suffix, created_at: createdAt };
}
