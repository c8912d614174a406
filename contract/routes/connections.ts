/** Remote MCP endpoints. */
import * as z from "zod";
import { IdempotencyHeaders, SubjectPageQuery } from "../parameters.ts";
import { ConnectionId } from "../schemas/common.ts";
import {
  Connection,
  ConnectionList,
  CreateConnection,
  ReplaceConnectionCredentials,
} from "../schemas/connections.ts";
import { idempotent, jsonBody, one, page, type Route, usual } from "./route.ts";

const connection = z.object({ connection_id: ConnectionId });

export const connectionRoutes = {
  post_connections: {
    operationId: "post_connections",
    method: "POST",
    path: "/connections",
    tag: "Connections",
    auth: "project",
    summary: "Register an MCP connection",
    description: "Stores an endpoint and its headers for one subject. Nothing is sent to the endpoint yet.",
    headers: IdempotencyHeaders,
    body: CreateConnection,
    bodyType: "json",
    success: [{ status: 201, description: "The connection.", schema: Connection }],
    errors: [...idempotent, ...jsonBody, "invalid_url", "not_found", ...usual],
  },
  get_connections: {
    operationId: "get_connections",
    method: "GET",
    path: "/connections",
    tag: "Connections",
    auth: "project",
    summary: "List connections",
    description:
      "Registered connections, newest first. Those that one session owns are listed by the session.",
    query: SubjectPageQuery,
    bodyType: "none",
    success: [{ status: 200, description: "A page of connections.", schema: ConnectionList }],
    errors: [...page, "not_found", ...usual],
  },
  get_connections_connection_id: {
    operationId: "get_connections_connection_id",
    method: "GET",
    path: "/connections/{connection_id}",
    tag: "Connections",
    auth: "project",
    summary: "Read a connection",
    params: connection,
    bodyType: "none",
    success: [{ status: 200, description: "The connection, without its headers.", schema: Connection }],
    errors: [...one, ...usual],
  },
  delete_connections_connection_id: {
    operationId: "delete_connections_connection_id",
    method: "DELETE",
    path: "/connections/{connection_id}",
    tag: "Connections",
    auth: "project",
    summary: "Revoke a connection",
    description: "Erases the headers; no session sends calls there any more. The provider is not told.",
    params: connection,
    bodyType: "none",
    success: [{ status: 204, description: "The connection is revoked.", schema: null }],
    errors: [...one, ...usual],
  },
  put_connections_connection_id_credentials: {
    operationId: "put_connections_connection_id_credentials",
    method: "PUT",
    path: "/connections/{connection_id}/credentials",
    tag: "Connections",
    auth: "project",
    summary: "Replace a connection's credentials",
    description: "Puts new headers and expiry in place of all the old ones. Calls sent from now on use them.",
    params: connection,
    body: ReplaceConnectionCredentials,
    bodyType: "json",
    success: [
      { status: 200, description: "The connection with its new credentials stored.", schema: Connection },
    ],
    errors: [...one, ...jsonBody, ...usual],
  },
} as const satisfies Record<string, Route>;
