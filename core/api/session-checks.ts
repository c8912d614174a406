import type { SessionConnectionConfig } from "../../contract/schemas/connections.ts";
import type { Environment } from "../../contract/schemas/environments.ts";
import { ApiError, notFound } from "./error.ts";

const IMAGE = "managed-default";
/** As many of the longest hostnames fit the session's configuration, which is one item of at most 400 KB. */
const MOST_HOSTS = 1_000;
const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const hostname = new RegExp(`^(?=.{1,253}$)(?:${label}\\.)+${label}$`, "i");
/** No top-level domain is a number: what ends in one is an address in one of its spellings. */
const address = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/i;

/** Checks that a subject can be told from every other one: text that UTF-8 cannot carry would be stored as another. */
export function checkSubject(subjectId: string): void {
  if (!subjectId.isWellFormed())
    throw new ApiError("invalid_request", "subject_id: Send whole Unicode characters.");
}

/** Checks the sandbox's image and that every allowed host is an exact DNS hostname (NetworkPolicy). */
export function checkEnvironment(environment: Environment): void {
  if (environment.type === "none") return;
  if (environment.image !== IMAGE) throw new ApiError("unsupported_image");
  if (environment.network.allowed_hosts.length > MOST_HOSTS)
    throw new ApiError("invalid_request", `A session takes at most ${MOST_HOSTS} allowed hosts.`);
  const wrong = environment.network.allowed_hosts.find((host) => !hostname.test(host) || address.test(host));
  if (wrong !== undefined)
    throw new ApiError("invalid_network_policy", `${wrong.slice(0, 100)} is not a DNS hostname.`);
}

/** A project has no connections yet, so nothing can be bound. */
export function checkConnections(connections: readonly SessionConnectionConfig[]): void {
  const ids = connections.flatMap((entry) => ("connection_id" in entry ? [entry.connection_id] : []));
  if (new Set(ids).size < ids.length) throw new ApiError("duplicate_connection");
  if (ids.length > 0) throw notFound("connection");
  if (connections.length > 0) {
    throw new ApiError(
      "invalid_request",
      "MCP connections are not available in this version. Leave connections out.",
    );
  }
}
