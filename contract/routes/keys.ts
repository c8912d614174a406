/** Keys of this API and of model providers. */
import * as z from "zod";
import { IdempotencyHeaders, PageQuery } from "../parameters.ts";
import { ApiKeyList, CreateApiKey, CreatedApiKey } from "../schemas/api-keys.ts";
import { ApiKeyId, ModelApiKeyId } from "../schemas/common.ts";
import { CreateModelApiKey, ModelApiKey, ModelApiKeyList } from "../schemas/model-keys.ts";
import { always, idempotent, jsonBody, one, page, type Route } from "./route.ts";

const apiKey = z.object({ api_key_id: ApiKeyId });
const modelKey = z.object({ model_api_key_id: ModelApiKeyId });

export const keyRoutes = {
  get_api_keys: {
    operationId: "get_api_keys",
    method: "GET",
    path: "/api-keys",
    tag: "API keys",
    auth: "dashboard",
    summary: "List API keys",
    description: "The project's keys, newest first, without their secrets.",
    query: PageQuery,
    bodyType: "none",
    success: [{ status: 200, description: "A page of keys.", schema: ApiKeyList }],
    errors: [...page, ...always],
  },
  post_api_keys: {
    operationId: "post_api_keys",
    method: "POST",
    path: "/api-keys",
    tag: "API keys",
    auth: "dashboard",
    summary: "Create an API key",
    description:
      "Makes a key with full access to the project, short of managing keys. The answer has its secret, once.",
    body: CreateApiKey,
    bodyType: "json",
    success: [{ status: 201, description: "The key and its secret.", schema: CreatedApiKey }],
    errors: [...jsonBody, ...always],
  },
  delete_api_keys_api_key_id: {
    operationId: "delete_api_keys_api_key_id",
    method: "DELETE",
    path: "/api-keys/{api_key_id}",
    tag: "API keys",
    auth: "dashboard",
    summary: "Delete an API key",
    description: "Requests that come later with this key are refused; those under way may end.",
    params: apiKey,
    bodyType: "none",
    success: [{ status: 204, description: "The key works no more.", schema: null }],
    errors: [...one, ...always],
  },
  get_model_api_keys: {
    operationId: "get_model_api_keys",
    method: "GET",
    path: "/model-api-keys",
    tag: "Model API keys",
    auth: "project",
    summary: "List model API keys",
    description: "The stored keys, newest first, each by its first and last four characters.",
    query: PageQuery,
    bodyType: "none",
    success: [{ status: 200, description: "A page of stored keys.", schema: ModelApiKeyList }],
    errors: [...page, ...always],
  },
  post_model_api_keys: {
    operationId: "post_model_api_keys",
    method: "POST",
    path: "/model-api-keys",
    tag: "Model API keys",
    auth: "project",
    summary: "Store a model API key",
    description:
      "Encrypts and keeps a provider's key for runs to use. It is not tried out, and it cannot be changed.",
    headers: IdempotencyHeaders,
    body: CreateModelApiKey,
    bodyType: "json",
    success: [{ status: 201, description: "What is known of the stored key.", schema: ModelApiKey }],
    errors: [...idempotent, ...jsonBody, ...always],
  },
  get_model_api_keys_model_api_key_id: {
    operationId: "get_model_api_keys_model_api_key_id",
    method: "GET",
    path: "/model-api-keys/{model_api_key_id}",
    tag: "Model API keys",
    auth: "project",
    summary: "Read a model API key's metadata",
    params: modelKey,
    bodyType: "none",
    success: [{ status: 200, description: "What is known of the stored key.", schema: ModelApiKey }],
    errors: [...one, ...always],
  },
  delete_model_api_keys_model_api_key_id: {
    operationId: "delete_model_api_keys_model_api_key_id",
    method: "DELETE",
    path: "/model-api-keys/{model_api_key_id}",
    tag: "Model API keys",
    auth: "project",
    summary: "Delete a model API key",
    description:
      "Runs that start later and need it fail. The provider still honours the key until you revoke it there.",
    params: modelKey,
    bodyType: "none",
    success: [{ status: 204, description: "The key is gone.", schema: null }],
    errors: [...one, ...always],
  },
} as const satisfies Record<string, Route>;
