import { ApiError } from "../../core/api/error.ts";
import type { HttpRequest } from "./request.ts";

export type Caller = {
  readonly projectId: string;
  /** Operators act as the reference's dashboard session does: they may manage project API keys. */
  readonly kind: "project" | "operator";
};

export type Credentials = { project(secret: string): Promise<string | null> };

const bearer = /^bearer +([^\s]+)$/i;

/** Who sends the request: a project by its key, or an operator whom API Gateway has authenticated. */
export async function authenticate(
  request: HttpRequest,
  credentials: Credentials,
  operatorProject: string,
): Promise<Caller> {
  if (request.operator !== null) return { projectId: operatorProject, kind: "operator" };
  if (request.forOperators) throw new ApiError("unauthorized");
  const secret = bearer.exec(request.headers["authorization"] ?? "")?.[1];
  const projectId = secret === undefined ? null : await credentials.project(secret);
  if (projectId === null) throw new ApiError("unauthorized");
  return { projectId, kind: "project" };
}
